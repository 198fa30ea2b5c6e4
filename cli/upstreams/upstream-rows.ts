/** Arguments and options that the commands of upstreams share, and where they lead. */
import {
  type Argument,
  getArgument,
  type Invocation,
  isOn,
  type Option,
} from '../command/command.ts'
import { type AdminClient, encodeSegment, toRows } from '../gateway/admin-client.ts'
import { findWholeId, withWholeId } from '../gateway/whole-id.ts'
import type { Shell } from '../terminal/shell.ts'

export const UPSTREAM: Argument = {
  name: 'UPSTREAM',
  help: 'the id of the upstream, or of one that is there its beginning',
  completes: 'upstreams',
}

export const AS_USER: Option = {
  flag: 'uid',
  value: 'UID',
  help: 'ask the server with the secrets of this user, not with shared ones',
  completes: 'users',
}

export function toUpstreamPath(call: Invocation): string {
  return `/upstreams/${encodeSegment(getArgument(call, 'UPSTREAM'))}`
}

/** Returns the command line with the whole id of an upstream that is there. */
export async function withUpstream(call: Invocation, admin: AdminClient): Promise<Invocation> {
  const { upstreams } = await admin.send({ method: 'GET', path: '/upstreams' })
  const choices = toRows(upstreams).map(({ id }) => ({ id: String(id) }))
  const words = { noun: 'upstream', list: 'skillgate upstreams ls' }
  return withWholeId(call, 'UPSTREAM', (typed) => findWholeId(typed, choices, words))
}

/** With `--json`, what a person decides about goes to stderr: stdout has the answer alone. */
export function toPersonShell(call: Invocation): Shell {
  const { shell } = call
  return isOn(call, 'json') ? { ...shell, out: shell.err } : shell
}
