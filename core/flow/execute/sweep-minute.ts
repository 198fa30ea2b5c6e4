/**
 * Visits the users of one minute's sweep entries, some at once, until the run's time is over.
 *
 *   sweep entry of {minute} is written before the hold ─▶ sweep of a later minute finds it
 * An entry stays while the profile has a hold that it may stand for: of a call that still runs, or whose end the
 * store refused. Then the minute is not done, and the cursor does not pass it.
 *
 * - The call settles at the same time: only holds older than any call are ended, and both obey the outcome that
 *   stands (settle-call.ts).
 * - A user's visit fails: their entry stays, and the others are visited all the same.
 * - A partition of the entries does not answer: the users of the others are visited, and the minute is not done.
 * - A process dies in between: what it began is repeated by the next run.
 */
import { Fault } from '../../errors.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports.ts'
import { type EventSettings, noteCrossings } from '../events/note-crossings.ts'
import { type MigrateNeeds, migrateUser } from '../migration/migrate-user.ts'
import { healHolds } from './settle-call.ts'

export type SweepNeeds = Pick<Ports, 'events' | 'ledger' | 'sweepEntries'> & MigrateNeeds

/**
 * Users visited at once. Each waits for one request at a time, mostly one of two, so this is about 3,000 users a
 * second of a store that answers in 5 ms: more than the function's CPU takes.
 */
export const SWEEP_USERS_AT_ONCE = 32
/** Entries of one minute that a run takes into memory: more than it reaches in its time. */
export const SWEEP_ENTRIES_MAX = 20_000

type Counts = { profiles: number; holds: number; minutes: number; left: number }

export type Sweep = {
  readonly ports: SweepNeeds
  readonly eventSettings: EventSettings
  readonly counts: Counts
  hasTime(): boolean
}

export function beginSweep(
  ports: SweepNeeds,
  { eventSettings, untilMs }: { eventSettings: EventSettings; untilMs: number },
): Sweep {
  const counts = { profiles: 0, holds: 0, minutes: 0, left: 0 }
  return { ports, eventSettings, counts, hasTime: () => ports.clock.nowMs() < untilMs }
}

/** True when the minute has no sweep entries any more. Resolves when nothing that it began still runs. */
export async function sweepMinute(sweep: Sweep, minute: number): Promise<boolean> {
  const { counts, ports } = sweep
  if (!sweep.hasTime()) return false
  const { isWhole, trouble, uids } = await ports.sweepEntries.list(minute, SWEEP_ENTRIES_MAX)
  if (trouble !== undefined) ports.log.note('error', 'sweep-failed', { minute }, trouble)
  counts.minutes += 1
  let isDone = isWhole
  await forEach(uids, SWEEP_USERS_AT_ONCE, async (uid) => {
    if (!sweep.hasTime()) counts.left += 1
    else if (await visitSafely(sweep, { uid, minute })) return
    isDone = false
  })
  return isDone
}

/** Waits for all, even after one has failed; then throws the first failure. */
async function forEach<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  const worker = async () => {
    for (const item of waiting) await work(item)
  }
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, worker))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

type SweepEntry = { readonly uid: string; readonly minute: number }

/** False when the entry stays. */
async function visitSafely(sweep: Sweep, entry: SweepEntry): Promise<boolean> {
  sweep.counts.profiles += 1
  try {
    if (!(await visit(sweep, entry))) return false
    await sweep.ports.sweepEntries.remove(entry)
    return true
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    sweep.ports.log.note('error', 'sweep-failed', { uid: entry.uid }, cause)
    return false
  }
}

/**
 * True when the entry has no more use: it stands for holds placed until the end of the next minute. Once none is
 * left, nothing of theirs moves the balance any more, so what it has crossed is seen here at the latest.
 */
async function visit(sweep: Sweep, { minute, uid }: SweepEntry): Promise<boolean> {
  const { counts, eventSettings, ports } = sweep
  const found = await ports.profiles.read(uid)
  if (found === undefined) return true
  // The earlier service may have added credits since the move; a user who calls needs them soon.
  if (found.v0 !== undefined) await migrateUser(ports, { uid })
  const ended = await healHolds(ports, found)
  counts.holds += ended
  const isChanged = found.v0 !== undefined || ended > 0
  const profile = isChanged ? await ports.profiles.read(uid) : found
  if (profile === undefined) return true
  if (mayHold(profile, minute)) return false
  return noteCrossings(ports, eventSettings, { profile })
}

function mayHold(profile: Profile, minute: number): boolean {
  const untilMs = (minute + 2) * 60_000
  return Object.values(profile.holds).some((hold) => hold.heldAtMs < untilMs)
}
