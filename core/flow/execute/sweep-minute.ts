/**
 * Visits the users of one minute's sweep entries, several at once, until the run's time is over.
 * Their profiles are read in batches first, so that a run can visit everybody who called in a
 * minute (docs/design/ledger.md#the-sweep).
 *
 *   sweep entry of {minute} is written before a hold of {minute} ─▶ sweep two minutes later reads it
 * By then each hold of that minute is older than any call, and the sweep ends it. If the store
 * refuses the end of a hold, its user is entered anew in the present minute, whose sweep is yet to
 * come.
 *
 * - The call settles at the same time: only holds older than any call are ended, and both processes
 *   obey the first outcome (settle-call.ts).
 * - A user's visit fails: the user is entered anew, and the other users are visited all the same.
 * - A partition of the entries does not answer: users in other partitions are visited, and the
 *   minute is not done.
 * - A process dies in between: the next run repeats its work from the cursor on.
 * - A run ends within 55 s, so its entries in the present minute exist before a sweep lists that
 *   minute.
 */
import { toMinute } from '../../access/minute.ts'
import { Fault } from '../../errors.ts'
import { sweepEntryMs } from '../../ledger/hold-deadline.ts'
import type { Profile } from '../../ledger/ledger.ts'
import { JOB_GRACE_MS, PROFILES_READ_MAX } from '../../ledger/limits.ts'
import type { SweepCursor, SweepEntry } from '../../ports/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import { type EventSettings, recordCrossings } from '../events/note-crossings.ts'
import { type MigrateNeeds, migrateUser } from '../migration/migrate-user.ts'
import { healHolds, type KeepHold } from './heal-holds.ts'

export type SweepNeeds = Pick<Ports, 'events' | 'jobVisits' | 'ledger' | 'sweepEntries'> &
  MigrateNeeds

/**
 * Users whose profiles are read together, in requests of PROFILES_READ_MAX users. Nearly all have
 * no stale hold and need no other request. If the store answers in 10 ms, the function's CPU is the
 * limit.
 */
export const SWEEP_USERS_READ = 400
/** Users that are visited at once. Each visit sends one request at a time. */
export const SWEEP_USERS_AT_ONCE = 32
/** Entries in one list request: as many as a run visits in a second. */
export const SWEEP_PAGE = 8_000

/** `profiles` and `left` count users, once for each page of entries that contains them. */
type Counts = { profiles: number; holds: number; minutes: number; left: number }

export type Sweep = {
  readonly ports: SweepNeeds
  readonly eventSettings: EventSettings
  readonly counts: Counts
  hasTime(): boolean
}

/** The state of one run. `untilMs` is the time after which no visit starts. */
export function beginSweep(
  ports: SweepNeeds,
  { eventSettings, untilMs }: { eventSettings: EventSettings; untilMs: number },
): Sweep {
  const counts = { profiles: 0, holds: 0, minutes: 0, left: 0 }
  return { ports, eventSettings, counts, hasTime: () => ports.clock.nowMs() < untilMs }
}

/**
 * Returns the new cursor: the start of the next minute, or the entry before the first one of this
 * minute that was not visited. Resolves after every visit that began has ended.
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
  /** The last entry up to which all users were visited. */
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

/** Returns how many entries, from the first on, need no other visit. */
async function visitAll(
  sweep: Sweep,
  minute: number,
  entries: readonly SweepEntry[],
): Promise<number> {
  const uids = [...new Set(entries.map(({ uid }) => uid))]
  const done = new Set<string>()
  for (const some of splitInGroups(uids, SWEEP_USERS_READ)) {
    const found = sweep.hasTime() ? await readProfiles(sweep.ports, some) : undefined
    await runEach(some.values(), SWEEP_USERS_AT_ONCE, async (uid) => {
      if (!sweep.hasTime()) sweep.counts.left += 1
      else if (await visitSafely(sweep, { uid, minute, found: found?.get(uid) })) done.add(uid)
    })
  }
  const first = entries.findIndex(({ uid }) => !done.has(uid))
  return first < 0 ? entries.length : first
}

/**
 * Reads the profiles of `uids`, which are all different. A profile that is missing, or whose batch
 * failed, is read again by the visit. That read finds a user of the earlier service, or fails for
 * one user instead of a hundred.
 */
async function readProfiles(
  { profiles }: Pick<Ports, 'profiles'>,
  uids: readonly string[],
): Promise<ReadonlyMap<string, Profile>> {
  const groups = splitInGroups(uids, PROFILES_READ_MAX)
  const reads = await Promise.allSettled(groups.map((group) => profiles.readAll(group)))
  return new Map(
    reads.flatMap((read) => {
      if (read.status === 'fulfilled') return [...read.value]
      if (read.reason instanceof Fault) return []
      throw read.reason
    }),
  )
}

/** Splits the items in their order; each group but the last has `sizeMax` items. */
function splitInGroups<Item>(items: readonly Item[], sizeMax: number): readonly Item[][] {
  const groups = Math.ceil(items.length / sizeMax)
  return Array.from({ length: groups }, (_, at) => items.slice(at * sizeMax, (at + 1) * sizeMax))
}

/** Runs `atOnce` workers on the items and waits for all of them; then throws the first failure. */
async function runEach<Item>(
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
  /** Read in a batch, after the next minute was over; undefined if that read gave no profile. */
  readonly found: Profile | undefined
}

/** Enters the user anew if the visit fails or leaves a hold. Returns false if that fails, too. */
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
    await ports.sweepEntries.put({ uid, minute: toMinute(ports.clock.nowMs()) })
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
 * Ends the user's stale holds. Returns true if the entry is no longer needed: the user has no hold
 * of its minute. Then no call of that minute changes the balance any more, so a crossed threshold
 * is reported here at the latest.
 */
async function visit(sweep: Sweep, { minute, uid, ...read }: Visit): Promise<boolean> {
  const { counts, eventSettings, ports } = sweep
  const found = read.found ?? (await ports.profiles.read(uid))
  if (found === undefined) return true
  // The earlier service may have added credits since the user was moved.
  if (found.v0 !== undefined) await migrateUser(ports, { uid })
  const healed = await healHolds(ports, found, endJobs(ports, uid))
  counts.holds += healed.ended
  const isMoved = found.v0 !== undefined
  const profile = isMoved ? await ports.profiles.read(uid) : healed.profile
  if (profile === undefined) return true
  if (hasHoldOf(profile, minute)) return false
  return recordCrossings(ports, eventSettings, { profile })
}

/**
 * Has the job of a stale hold ended by the door that may call upstreams. A hold stays while the
 * door does not answer, and is refunded after JOB_GRACE_MS. A hold that the door has ended is gone,
 * and the next step would only find its outcome.
 */
function endJobs({ clock, jobVisits, log }: SweepNeeds, uid: string): KeepHold {
  return async (callId, { untilMs = 0 }) => {
    try {
      return (await jobVisits.visit({ uid, callId, does: 'end' })).kind !== 'none'
    } catch (cause) {
      if (!(cause instanceof Fault)) throw cause
      log.note('warn', 'job-not-visited', { uid, callId }, cause)
      return clock.nowMs() <= untilMs + JOB_GRACE_MS
    }
  }
}

/** A task's hold is found by the entry of its own deadline, so it keeps no earlier entry. */
function hasHoldOf({ holds }: Profile, minute: number): boolean {
  return Object.values(holds).some((hold) => toMinute(sweepEntryMs(hold)) <= minute)
}
