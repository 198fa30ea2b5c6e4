/**
 * Visits the users of one minute's sweep entries, some at once, until the run's time is over. Their profiles are read
 * together before it (read-profiles.ts).
 *
 *   sweep entry of {minute} is written before a hold of {minute} ─▶ sweep two minutes later finds it
 * Then each hold of that minute is older than any call, and is ended. A user with one that could not be ended, since
 * the store refused it, is entered anew, in the present minute: its own sweep is still to come.
 *
 * - The call settles at the same time: only holds older than any call are ended, and both obey the outcome that
 *   stands (settle-call.ts).
 * - A user's visit fails: they are entered anew, and the others are visited all the same.
 * - A partition of the entries does not answer: the users of the others are visited, and the minute is not done.
 * - A process dies in between: what it began is repeated by the next run, from the cursor on.
 * - A run lives 55 s, so what it enters in the present minute is written before any sweep lists that minute.
 */
import { minuteOf } from '../../access/minute.ts'
import { Fault } from '../../errors.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { SweepCursor, SweepEntry } from '../../ports/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import { type EventSettings, noteCrossings } from '../events/note-crossings.ts'
import { type MigrateNeeds, migrateUser } from '../migration/migrate-user.ts'
import { healHolds } from './heal-holds.ts'
import { inGroups, readProfiles } from './read-profiles.ts'

export type SweepNeeds = Pick<Ports, 'events' | 'ledger' | 'sweepEntries'> & MigrateNeeds

/**
 * Users whose profiles are read together, in requests of PROFILES_READ_MAX. Nearly all have no hold that is stale, and
 * wait for nothing else: on a store that answers in 10 ms more users a second than the function's CPU takes.
 */
export const SWEEP_USERS_READ = 400
/** Users of these that are visited at once, if their holds must be ended, each waiting for one request at a time. */
export const SWEEP_USERS_AT_ONCE = 32
/** Entries that are listed at once: what a run visits in a second. */
export const SWEEP_PAGE = 8_000

/** `profiles` and `left` count users, once for each page of entries that names them. */
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

/**
 * The cursor after it: the start of the next minute, or the entry before the first one of this minute that was
 * not visited. Resolves when nothing that it began still runs.
 */
export async function sweepMinute(sweep: Sweep, from: SweepCursor): Promise<SweepCursor> {
  const { minute } = from
  if (sweep.hasTime()) sweep.counts.minutes += 1
  let reached = from.after
  let isWhole = true
  let after: string | undefined = from.after
  while (after !== undefined) {
    if (!sweep.hasTime()) return { minute, after: reached }
    const page = await visitPage(sweep, minute, after)
    if (isWhole) reached = page.reached
    isWhole = isWhole && page.isWhole
    after = page.next
  }
  return isWhole ? { minute: minute + 1, after: '' } : { minute, after: reached }
}

type VisitedPage = {
  /** The last place up to which all users were visited. */
  readonly reached: string
  readonly isWhole: boolean
  readonly next: string | undefined
}

async function visitPage(sweep: Sweep, minute: number, after: string): Promise<VisitedPage> {
  const { log, sweepEntries } = sweep.ports
  const { entries, next, trouble } = await sweepEntries.list(minute, { after, limit: SWEEP_PAGE })
  const visited = await visitAll(sweep, minute, entries)
  if (trouble !== undefined) {
    log.note('error', 'sweep-failed', { minute }, trouble)
    return { reached: after, isWhole: false, next }
  }
  if (visited === entries.length) return { reached: next ?? after, isWhole: true, next }
  return { reached: entries[visited - 1]?.at ?? after, isWhole: false, next }
}

/** How many of them, from the first on, need no other visit. */
async function visitAll(
  sweep: Sweep,
  minute: number,
  entries: readonly SweepEntry[],
): Promise<number> {
  const uids = [...new Set(entries.map(({ uid }) => uid))]
  const done = new Set<string>()
  for (const some of inGroups(uids, SWEEP_USERS_READ)) {
    const found = sweep.hasTime() ? await readProfiles(sweep.ports, some) : undefined
    await forEach(some.values(), SWEEP_USERS_AT_ONCE, async (uid) => {
      if (!sweep.hasTime()) sweep.counts.left += 1
      else if (await visitSafely(sweep, { uid, minute, found: found?.get(uid) })) done.add(uid)
    })
  }
  const first = entries.findIndex(({ uid }) => !done.has(uid))
  return first < 0 ? entries.length : first
}

/** Waits for all, even after one has failed; then throws the first failure. */
async function forEach<Item>(
  waiting: IterableIterator<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const worker = async () => {
    for (const item of waiting) await work(item)
  }
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, worker))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

type Visit = {
  readonly uid: string
  readonly minute: number
  /** Read together with others, after the next minute was over. */
  readonly found: Profile | undefined
}

/** False when the user could not even be entered anew. */
async function visitSafely(sweep: Sweep, visited: Visit): Promise<boolean> {
  const { counts, ports } = sweep
  const { uid } = visited
  counts.profiles += 1
  try {
    if (await visit(sweep, visited)) return true
  } catch (cause) {
    noteFailed(sweep, uid, cause)
  }
  try {
    await ports.sweepEntries.put({ uid, minute: minuteOf(ports.clock.nowMs()) })
    return true
  } catch (cause) {
    noteFailed(sweep, uid, cause)
    return false
  }
}

function noteFailed(sweep: Sweep, uid: string, cause: unknown): void {
  if (!(cause instanceof Fault)) throw cause
  sweep.ports.log.note('error', 'sweep-failed', { uid }, cause)
}

/**
 * True when the entry has no more use. Once no hold of its minute is left, nothing of theirs moves the balance any
 * more, so what it has crossed is seen here at the latest.
 */
async function visit(sweep: Sweep, { minute, uid, ...read }: Visit): Promise<boolean> {
  const { counts, eventSettings, ports } = sweep
  const found = read.found ?? (await ports.profiles.read(uid))
  if (found === undefined) return true
  // The earlier service may have added credits since the move; a user who calls needs them soon.
  if (found.v0 !== undefined) await migrateUser(ports, { uid })
  const healed = await healHolds(ports, found)
  counts.holds += healed.ended
  const isMoved = found.v0 !== undefined
  const profile = isMoved ? await ports.profiles.read(uid) : healed.profile
  if (profile === undefined) return true
  if (mayHold(profile, minute)) return false
  return noteCrossings(ports, eventSettings, { profile })
}

function mayHold(profile: Profile, minute: number): boolean {
  const untilMs = (minute + 1) * 60_000
  return Object.values(profile.holds).some((hold) => hold.heldAtMs < untilMs)
}
