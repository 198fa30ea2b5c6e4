/**
 * Whether MCP servers give their lists, whether tools wait for an administrator with their calls
 * refused, and whether the gateway has the shared secrets that it asks the servers with.
 */
import {
  describeUpstreams,
  findUpstreamFaults,
  joinUpstreamFaults,
} from '../../core/skills/upstreams/describe-upstreams.ts'
import type { Invocation } from '../command/command.ts'
import {
  type AdminClient,
  type Fields,
  toAdminClient,
  toFields,
  toRows,
} from '../gateway/admin-client.ts'
import type { Target } from '../gateway/target.ts'
import { CommandFault } from '../terminal/exit-code.ts'
import { checkAsAdmin } from './check-as-admin.ts'

/** Pages of shared secrets that are read. */
const PAGES_MAX = 20

/** Throws a CommandFault with the first fault and its remedy. */
export function checkUpstreams(call: Invocation, target: Target): Promise<string> {
  return checkAsAdmin(() => checkAll(toAdminClient(call, target)))
}

async function checkAll(admin: AdminClient): Promise<string> {
  const found = await admin.send({ method: 'GET', path: '/upstreams' })
  const upstreams = toRows(found['upstreams'])
  if (upstreams.length === 0) return describeUpstreams(0)
  const names = upstreams.some(({ settings }) => getSecretName(toFields(settings)) !== undefined)
  const secrets = names ? await listSharedSecrets(admin) : []
  const faults = upstreams.flatMap((upstream) => findFaults(upstream, secrets))
  if (faults.length === 0) return describeUpstreams(upstreams.length)
  throw new CommandFault(joinUpstreamFaults(faults))
}

/** Sentences, the worst first. */
function findFaults(upstream: Fields, secrets: readonly Fields[]): readonly string[] {
  const { counts, id, lastFailure, state } = upstream
  const { changed, flagged } = toFields(counts)
  const held = Number(changed ?? 0) + Number(flagged ?? 0)
  const facts = { id: String(id), state: String(state), held, lastFailure: String(lastFailure) }
  return [...findUpstreamFaults(facts), ...findSecretFault(upstream, secrets)]
}

/** A server that is refreshed by hand alone may be asked with the secrets of a user. */
function findSecretFault({ id, settings }: Fields, secrets: readonly Fields[]): readonly string[] {
  const fields = toFields(settings)
  const name = getSecretName(fields)
  if (name === undefined || fields['refresh_minutes'] === 0) return []
  const origin = new URL(String(fields['url'])).origin
  const isSet = secrets.some(
    ({ name: one, origins, skillId }) =>
      one === name && skillId === undefined && Array.isArray(origins) && origins.includes(origin),
  )
  return isSet
    ? []
    : [
        `${id} is refreshed with ${name}, which is not set: skillgate secrets shared set ${name} --origin ${origin}.`,
      ]
}

/** Logins and tokens of callers are of users; tokens of the gateway go to another origin. */
function getSecretName(settings: Fields): string | undefined {
  const { secret, type } = toFields(settings['auth'])
  return typeof secret === 'string' && type !== 'oauth2' ? secret : undefined
}

async function listSharedSecrets(admin: AdminClient): Promise<readonly Fields[]> {
  const all: Fields[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = await admin.send({ method: 'GET', path: '/secrets', query: { cursor } })
    all.push(...toRows(page['secrets']))
    cursor = typeof page['nextCursor'] === 'string' ? page['nextCursor'] : undefined
    if (cursor === undefined) break
  }
  return all
}
