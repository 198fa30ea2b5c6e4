/**
 * DELETE users/{uid}: removes what a user has and leaves a tombstone that keeps the ledger. Bound
 * by docs/admin-api.md, DELETE users/{uid}, and ADR 0044.
 *
 *   deleting ─▶ streams ─▶ keys ─▶ secrets ─▶ private skills, names, versions ─▶ reasons of grants
 *   (no call, no hold, no grant)      tombstone ◀─ username claim ◀─ excerpts of calls ◀─┘
 *                                (without identity)
 *
 * Each step lists what remains and removes it, so each step can be repeated. If the process dies,
 * the user stays `deleting`, no call is served, and the same request continues with what remains.
 * Two requests at once do the same writes. A running call ends on the profile, which is never
 * removed: its hold is settled, refunded, or ended by the sweep. A key or secret may be put by a
 * request that read the profile before; it stays until the request is repeated, and no call uses
 * it. The excerpt of a call that ends later stays for its week, and nobody sees it. From `deleting`
 * on, the write that would give a grant refuses it.
 */
import { refuseUnknownUser } from '../../access/user-names.ts'
import { ok, type Result } from '../../errors.ts'
import type { ProfileChange } from '../../ledger/change-profile.ts'
import type { Ports } from '../../ports/ports.ts'
import { releaseUsername } from './claim-username.ts'

export type DeleteUserNeeds = Pick<Ports, 'clock' | 'ids' | 'log' | 'profiles' | 'usernames'> & {
  readonly callExcerpts: Pick<Ports['callExcerpts'], 'dropOwned'>
  readonly keys: Pick<Ports['keys'], 'list' | 'revoke'>
  readonly leases: Pick<Ports['leases'], 'list' | 'remove'>
  readonly ledger: Pick<Ports['ledger'], 'dropReasons'>
  readonly secrets: Pick<Ports['secrets'], 'list' | 'remove'>
  readonly sessions: Pick<Ports['sessions'], 'end'>
  readonly skills: Pick<Ports['skills'], 'dropToolNames' | 'list' | 'remove'>
  readonly skillVersions: Pick<Ports['skillVersions'], 'dropOwned'>
}

/**
 * Milliseconds. After this time no further record is removed, because API Gateway waits for 29 s.
 */
export const DELETE_MS_MAX = 20_000
/** Private skills, grants and excerpts that one request reads. */
const RECORDS_AT_ONCE = 100
/** 72 random bits, so that the pseudonym does not lead to the person. */
const PSEUDONYM_BYTES = 9

/**
 * Returns `deleting` if the time is over; the same request then continues. Refuses with `not_found`
 * an unknown user.
 */
export async function deleteUser(
  ports: DeleteUserNeeds,
  uid: string,
): Promise<Result<'deleted' | 'deleting'>> {
  const untilMs = ports.clock.nowMs() + DELETE_MS_MAX
  const work = { ports, uid, isLate: () => ports.clock.nowMs() >= untilMs }
  const profile = await ports.profiles.read(uid)
  if (profile === undefined) return refuseUnknownUser(uid)
  // The user's name is final from here on.
  const closed = await changeState(ports, uid, DELETING)
  for (const step of STEPS) {
    if (!(await step(work))) return ok('deleting')
  }
  if (typeof closed === 'object') await releaseUsername(ports, closed)
  const pseudonym = `deleted-${ports.ids.token(PSEUDONYM_BYTES)}`
  const tombstone = { username: pseudonym, tier: 'free', identity: null, groups: [] }
  const end = { state: 'deleted', reason: 'an administrator deleted this user' } as const
  await changeState(ports, uid, end, tombstone)
  ports.log.note('info', 'user-deleted', { uid })
  return ok('deleted')
}

const DELETING = { state: 'deleting', reason: 'an administrator is deleting this user' } as const

/** Changes the user's state. A tombstone stays as it is. */
async function changeState(
  { clock, profiles }: DeleteUserNeeds,
  uid: string,
  to: { readonly state: 'deleted' | 'deleting'; readonly reason: string },
  more: ProfileChange = {},
): ReturnType<Ports['profiles']['change']> {
  return profiles.change(uid, { ...more, disabled: { ...to, sinceMs: clock.nowMs() } })
}

type Work = {
  readonly ports: DeleteUserNeeds
  readonly uid: string
  readonly isLate: () => boolean
}

/** Returns false if the time was over before the step was done. */
type Step = (work: Work) => Promise<boolean>

/**
 * This step comes before the keys, because a lease names only its key. Open streams also end by the
 * user's state.
 */
const endStreams: Step = async ({ isLate, ports, uid }) => {
  const nowMs = ports.clock.nowMs()
  const own = new Set((await ports.keys.list(uid)).map(({ keyHash }) => keyHash))
  if (own.size === 0) return true
  for (const lease of await ports.leases.list(nowMs)) {
    if (!own.has(lease.keyHash)) continue
    if (isLate()) return false
    await ports.sessions.end({ hash: lease.session, nowMs })
    await ports.leases.remove(lease)
  }
  return true
}

const revokeKeys: Step = async ({ isLate, ports, uid }) => {
  for (const { keyHash } of await ports.keys.list(uid)) {
    if (isLate()) return false
    await ports.keys.revoke({ uid, keyHash })
  }
  return true
}

const removeSecrets: Step = async ({ isLate, ports, uid }) => {
  for (const { name, skillId } of await ports.secrets.list(uid)) {
    if (isLate()) return false
    await ports.secrets.remove({ uid, skillId, name })
  }
  return true
}

/** If a sync changes a skill in between, the next page has the skill again. */
const removeSkills: Step = async ({ isLate, ports, uid }) => {
  for (;;) {
    const of = { source: 'private', uid } as const
    const { records } = await ports.skills.list({ ...of, limit: RECORDS_AT_ONCE })
    if (records.length === 0) break
    for (const { skillId, version } of records) {
      if (isLate()) return false
      await ports.skills.remove({ ...of, skillId }, version)
    }
  }
  await ports.skills.dropToolNames(uid)
  while (!(await ports.skillVersions.dropOwned({ uid, limit: RECORDS_AT_ONCE }))) {
    if (isLate()) return false
  }
  return true
}

/**
 * Removes what administrators wrote about the person. Amounts and ids stay, since they explain the
 * balance.
 */
const dropReasons: Step = async ({ isLate, ports, uid }) => {
  const page = { uid, limit: RECORDS_AT_ONCE }
  let after = await ports.ledger.dropReasons(page)
  while (after !== undefined) {
    if (isLate()) return false
    after = await ports.ledger.dropReasons({ ...page, after })
  }
  return true
}

const removeExcerpts: Step = async ({ isLate, ports, uid }) => {
  while (!(await ports.callExcerpts.dropOwned({ uid, limit: RECORDS_AT_ONCE }))) {
    if (isLate()) return false
  }
  return true
}

const STEPS: readonly Step[] = [
  endStreams,
  revokeKeys,
  removeSecrets,
  removeSkills,
  dropReasons,
  removeExcerpts,
]
