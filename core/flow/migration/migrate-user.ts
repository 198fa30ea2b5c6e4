/**
 * Moves a user of the earlier service into a profile, adds credits that the earlier service wrote
 * late, and moves keys. Only doors that may move credits use it: execute, admin, sweep. The other
 * doors see the same user through `profiles.read` and `keys.find`. Bound by
 * docs/decisions/0024-self-healing-migration.md.
 *
 *   read profile, credits, tier at one moment ─▶ plan ─▶ one write (a transaction if money moves)
 *                 ▲                                        │ changed since the read
 *                 └────────────────────────────────────────┘ at most MIGRATE_TRIES_MAX times
 *
 * A key is moved after its user, so that every key of this gateway has a user. A crash in between
 * leaves the key in its old record, and the next request moves it.
 */
import { isBeingDeleted } from '../../access/user-state.ts'
import { toKeyRecord } from '../../access/v0-key.ts'
import { Fault } from '../../errors.ts'
import { FOREIGN_ID_BYTES_MAX } from '../../json/identifier-text.ts'
import { CREDITS_MAX } from '../../ledger/amount.ts'
import type { MicroCredits, Profile } from '../../ledger/ledger.ts'
import { isMovableUid, type V0Problem, type V0User } from '../../ledger/v0.ts'
import { planMigration, type V0Plan } from '../../ledger/v0-plan.ts'
import type { Ports } from '../../ports/ports.ts'

export type MigrateNeeds = Pick<Ports, 'clock' | 'ids' | 'v0' | 'log' | 'profiles'>

/** A try fails only if another writer moved or added credits in between, which soon ends. */
export const MIGRATE_TRIES_MAX = 8
/** 72 random bits that tell the moves of one user apart. */
const MOVE_ID_BYTES = 9

export type Migration = {
  /** The profile after the move; undefined if there is no such user. */
  readonly profile: Profile | undefined
  readonly born: boolean
  readonly amount: MicroCredits
  /** Records that were not moved, and why. */
  readonly faults: readonly V0Problem[]
}

/** `known`: a key of the earlier service proves that the user exists. Throws `Fault`. */
export async function migrateUser(
  ports: MigrateNeeds,
  { known = false, uid }: { readonly uid: string; readonly known?: boolean | undefined },
): Promise<Migration> {
  if (!isMovableUid(uid)) return { ...NOTHING, faults: [describeUnmovable(uid)] }
  for (let tries = 1; tries <= MIGRATE_TRIES_MAX; tries += 1) {
    const user = { uid, known, nowMs: ports.clock.nowMs() }
    const records = await ports.v0.read(uid)
    const { profile } = records
    // A user who is being deleted gets nothing; the credits stay in their old record.
    if (profile !== undefined && isBeingDeleted(profile)) return { ...NOTHING, profile, faults: [] }
    const plan = planMigration(user, records)
    if (await carryOut(ports, user, records, plan))
      return reportMigration(ports, uid, records, plan)
  }
  throw new Fault(
    'store_unavailable',
    `migration: other writes came first ${MIGRATE_TRIES_MAX} times`,
  )
}

/** Characters shown of an id, which may be any text. */
const SHOWN_CHARS_MAX = 100
const NOTHING = { profile: undefined, born: false, amount: 0 }
const UNMOVABLE_UID = `has over ${FOREIGN_ID_BYTES_MAX} bytes and characters other than A-Z, a-z, 0-9, - and _, so it becomes no user id here; create the user again under another id`

/** Explains why a user cannot be moved. The old records stay as they are. */
export function describeUnmovable(uid: string): V0Problem {
  return { record: `user ${JSON.stringify(uid.slice(0, SHOWN_CHARS_MAX))}`, message: UNMOVABLE_UID }
}

/** Writes the plan. Returns false if the records have changed since they were read. */
async function carryOut(
  ports: MigrateNeeds,
  { nowMs, uid }: { readonly uid: string; readonly nowMs: number },
  { credits }: V0User,
  { amount, birth, watch }: V0Plan,
): Promise<boolean> {
  if (amount === undefined || credits === undefined) {
    if (birth !== undefined) return ports.profiles.create(birth)
    if (watch) await ports.v0.watch(uid, true)
    return true
  }
  return ports.v0.move({
    uid,
    expected: credits,
    rest: amount.rest,
    amount: amount.whole,
    moveId: `v0-${ports.ids.token(MOVE_ID_BYTES)}`,
    nowMs,
    creditsMax: CREDITS_MAX,
    birth: birth === undefined ? undefined : { ...birth, credits: amount.whole },
  })
}

/** Logs problems only if something moved, not each time a sweep finds them again. */
function reportMigration(
  { log }: MigrateNeeds,
  uid: string,
  { profile: before }: V0User,
  { amount: moved, birth, faults, watch }: V0Plan,
): Migration {
  const amount = moved?.whole ?? 0
  const profile = before ?? birth
  const isNews = birth !== undefined || amount > 0 || watch
  if (isNews) log.note('info', 'v0-moved', { uid, amount, state: before ? 'merged' : 'born' })
  if (isNews && faults.length > 0) log.note('warn', 'v0-skipped', { uid, count: faults.length })
  return {
    profile: profile === undefined ? undefined : { ...profile, credits: profile.credits + amount },
    born: birth !== undefined,
    amount,
    faults,
  }
}

/** Moves a key by its hash, and its user first. `moved` is false if the key could not be moved. */
export async function migrateKey(
  ports: MigrateNeeds,
  keyHash: string,
): Promise<{ readonly moved: boolean; readonly user: Migration }> {
  const found = await ports.v0.findKey(keyHash)
  if (found?.kind !== 'unmoved') {
    const record = `user:uid:${keyHash}`
    const faults = found?.kind === 'unreadable' ? [{ record, message: found.message }] : []
    return { moved: false, user: { ...NOTHING, faults } }
  }
  const { spellings, uid } = found
  const user = await migrateUser(ports, { uid, known: true })
  if (user.profile === undefined) return { moved: false, user }
  const { username } = user.profile
  const record = toKeyRecord({ keyHash, uid, username, nowMs: ports.clock.nowMs() })
  return { moved: await ports.v0.moveKey({ record, spellings }), user }
}
