/**
 * GET users/{uid}: everything about one user, with a limited number of reads. Shows no key, no
 * value of a secret and no definition of a skill. Bound by docs/admin-api.md, GET users/{uid}.
 */
import { refuseUnknownUser } from '../../access/user-names.ts'
import { ok, type Result } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import { type KeyView, listKeys } from './manage-keys.ts'
import { listSecrets, type SecretView } from './manage-secrets.ts'
import { type LedgerReadNeeds, type LedgerView, showLedger } from './read-ledger.ts'
import { toUserView, type UserView } from './user-view.ts'

/** Most entries of each list of keys, secrets and private skills; routes of their own list all. */
export const DETAIL_ENTRIES_MAX = 50
/** Number of the newest calls that are shown. */
export const DETAIL_CALLS_MAX = 10

export type UserDetail = UserView & {
  readonly keys: readonly KeyView[]
  readonly secrets: readonly SecretView[]
  readonly privateSkills: readonly {
    readonly skillId: string
    readonly toolName: string
    readonly version: number
    readonly updatedAtMs: number
  }[]
  readonly openStreams: readonly { readonly keyId: string; readonly openedAtMs: number }[]
  readonly lastCalls: readonly LedgerView[]
  /** Names of the lists above that are cut at DETAIL_ENTRIES_MAX. */
  readonly cut: readonly ('keys' | 'privateSkills' | 'secrets')[]
}

export type ShowUserNeeds = LedgerReadNeeds &
  Pick<Ports, 'clock'> & {
    readonly profiles: Pick<Ports['profiles'], 'read'>
    readonly keys: Pick<Ports['keys'], 'list'>
    readonly leases: Pick<Ports['leases'], 'list'>
    readonly secrets: Pick<Ports['secrets'], 'list'>
    readonly skills: Pick<Ports['skills'], 'list'>
  }

/** Refuses with `not_found` an unknown user. */
export async function showUser(ports: ShowUserNeeds, uid: string): Promise<Result<UserDetail>> {
  const profile = await ports.profiles.read(uid)
  if (profile === undefined) return refuseUnknownUser(uid)
  const userKeys = await ports.keys.list(uid)
  // Each part uses the profile and the keys that were read above.
  const nowMs = ports.clock.nowMs()
  const readPorts = {
    clock: ports.clock,
    ledger: ports.ledger,
    secrets: ports.secrets,
    profiles: { read: async () => profile },
    keys: { list: async () => userKeys },
  }
  const page = { limit: String(DETAIL_ENTRIES_MAX), cursor: undefined }
  const [keys, secrets, skills, calls, leases] = await Promise.all([
    listKeys(readPorts, uid, page),
    listSecrets(readPorts, uid, page),
    ports.skills.list({ source: 'private', uid, limit: DETAIL_ENTRIES_MAX }),
    showLedger(readPorts, uid, { limit: String(DETAIL_CALLS_MAX), cursor: undefined }),
    ports.leases.list(nowMs),
  ])
  if (!keys.ok) return keys
  if (!secrets.ok) return secrets
  if (!calls.ok) return calls
  const own = new Set(userKeys.map(({ keyHash }) => keyHash))
  const openStreams = leases
    .filter(({ keyHash }) => own.has(keyHash))
    .map(({ keyHash, openedAtMs }) => ({ keyId: keyHash, openedAtMs }))
  return ok({
    ...toUserView(profile, nowMs),
    keys: keys.value.keys,
    secrets: secrets.value.secrets,
    privateSkills: skills.records.map(({ skillId, toolName, updatedAtMs, version }) => {
      return { skillId, toolName, version, updatedAtMs }
    }),
    openStreams,
    lastCalls: calls.value.entries,
    cut: [
      ...(keys.value.nextCursor === undefined ? [] : (['keys'] as const)),
      ...(secrets.value.nextCursor === undefined ? [] : (['secrets'] as const)),
      ...(skills.next === undefined ? [] : (['privateSkills'] as const)),
    ],
  })
}
