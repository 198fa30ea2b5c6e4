/** Arguments and options that the commands of upstreams share, and where they lead. */
import {
  type Argument,
  getArgument,
  type Invocation,
  isOn,
  type Option,
} from '../command/command.ts'
import { encodeSegment } from '../gateway/admin-client.ts'
import type { Shell } from '../terminal/shell.ts'

export const UPSTREAM: Argument = {
  name: 'UPSTREAM',
  help: 'the id of the upstream',
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

/** With `--json`, what a person decides about goes to stderr: stdout has the answer alone. */
export function toPersonShell(call: Invocation): Shell {
  const { shell } = call
  return isOn(call, 'json') ? { ...shell, out: shell.err } : shell
}
