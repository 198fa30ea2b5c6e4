/**
 * GET tasks: calls that hold credits beyond 15 s, with the time at which each is over at the latest.
 * Those of one user are in the user's profile. Those of all users are found by the sweep's entries:
 * a task enters its user in the minute of its deadline, so the list reads minutes that are yet to
 * come. Changes nothing. Bound by docs/admin-api.md, GET tasks.
 *
 *   entry ─▶ hold           the list reads between: no task yet, the next list has it
 *   deadline moves ahead    the old entry finds no task of its minute, the new one does: listed once
 */
import { toMinute } from '../../access/minute.ts'
import { isIdentifier, refuseUnknownUser } from '../../access/user-names.ts'
import { Fault, ok, type Result } from '../../errors.ts'
import { readPageStart, writeCursor } from '../../json/cursor.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import { sweepEntryMs } from '../../ledger/hold-deadline.ts'
import type { Profile } from '../../ledger/ledger.ts'
import { PROFILES_READ_MAX } from '../../ledger/limits.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SkillSource } from '../../skills/skill.ts'
import { readProfiles } from './read-profiles.ts'

/** Amounts are decimals of credits. */
export type TaskView = {
  readonly callId: string
  readonly uid: string
  readonly username: string
  readonly skillId: string
  readonly source: SkillSource
  readonly price: number
  readonly startedAtMs: number
  readonly untilMs: number
}

export type TaskPage = { readonly tasks: readonly TaskView[]; readonly nextCursor?: string }

type Needs = Pick<Ports, 'clock'> & {
  readonly profiles: Pick<Ports['profiles'], 'read' | 'readAll'>
  readonly sweepEntries: Pick<Ports['sweepEntries'], 'list'>
}

/**
 * Minutes of deadlines that one page of all users reads, eight partitions each: more than a task has
 * that its own process ends.
 */
export const TASK_MINUTES_READ = 30
/** Minutes ahead of now in which a task may end: a job has a day, and a little longer. */
const MINUTES_AHEAD = 1_455
/** Minutes behind now whose tasks may still be there: the sweep is about to end them. */
const MINUTES_BEHIND = 2

/** After the entry `after` of `minute`; '' before the first one. */
type Place = { readonly minute: number; readonly after: string }

/**
 * By their deadlines, the soonest first. A page of all users may be short, or empty, and still have
 * a `nextCursor`. Refuses with `malformed` a bad cursor, with `not_found` an unknown user. Throws
 * `Fault` if the store fails.
 */
export async function listTasks(
  ports: Needs,
  { cursor, user }: { readonly cursor: string | undefined; readonly user: string | undefined },
): Promise<Result<TaskPage>> {
  const start = readPageStart(cursor, parsePlace)
  if (!start.ok) return start
  if (user !== undefined) {
    const profile = await ports.profiles.read(user)
    return profile === undefined ? refuseUnknownUser(user) : ok({ tasks: listTasksOf(profile) })
  }
  const now = toMinute(ports.clock.nowMs())
  const from = start.value ?? { minute: now - MINUTES_BEHIND, after: '' }
  return ok(await listAll(ports, from, now + MINUTES_AHEAD))
}

/** `last`: the last minute in which a task may end. */
async function listAll(ports: Needs, from: Place, last: number): Promise<TaskPage> {
  const to = Math.min(last, from.minute + TASK_MINUTES_READ - 1)
  const { entries, next } = await readEntries(ports, from, to)
  const profiles = await readProfiles(ports, [...new Set(entries.map(({ uid }) => uid))])
  const tasks = entries.flatMap(({ minute, uid }) => {
    const profile = profiles.get(uid)
    return profile === undefined ? [] : listTasksOf(profile).filter((task) => isOf(task, minute))
  })
  const place = next ?? (to < last ? { minute: to + 1, after: '' } : undefined)
  return {
    tasks: tasks.sort((a, b) => a.untilMs - b.untilMs),
    ...(place === undefined ? {} : { nextCursor: writeCursor(`${place.minute}/${place.after}`) }),
  }
}

type Entry = { readonly minute: number; readonly uid: string; readonly at: string }

/** Entries in their order, as far as one page reads; `next` is undefined if there are no others. */
async function readEntries(
  { sweepEntries }: Needs,
  from: Place,
  to: number,
): Promise<{ readonly entries: readonly Entry[]; readonly next: Place | undefined }> {
  const limit = PROFILES_READ_MAX
  const minutes = Array.from({ length: to - from.minute + 1 }, (_, at) => from.minute + at)
  const lists = await Promise.all(
    minutes.map(async (minute) => {
      const after = minute === from.minute ? from.after : ''
      const list = await sweepEntries.list(minute, { after, limit, entered: true })
      if (list.trouble !== undefined)
        throw new Fault('store_unavailable', 'the minutes of tasks cannot be read', list.trouble)
      return { minute, ...list }
    }),
  )
  const entries: Entry[] = []
  for (const { entries: found, minute, next } of lists) {
    entries.push(...found.map((entry) => ({ minute, ...entry })))
    const last = entries[limit - 1]
    if (last !== undefined) {
      return { entries: entries.slice(0, limit), next: { minute: last.minute, after: last.at } }
    }
    if (next !== undefined) return { entries, next: { minute, after: next } }
  }
  return { entries, next: undefined }
}

/** The soonest deadline first. */
function listTasksOf({ holds, uid, username }: Profile): readonly TaskView[] {
  return Object.entries(holds)
    .flatMap(([callId, { amount, heldAtMs, skillId, source, untilMs }]) => {
      if (untilMs === undefined) return []
      const price = toCreditsNumber(amount)
      return [{ callId, uid, username, skillId, source, price, startedAtMs: heldAtMs, untilMs }]
    })
    .sort((a, b) => a.untilMs - b.untilMs)
}

function isOf({ startedAtMs, untilMs }: TaskView, minute: number): boolean {
  return toMinute(sweepEntryMs({ heldAtMs: startedAtMs, untilMs })) === minute
}

function parsePlace(position: string): Place | undefined {
  const [, minute = '', after = ''] = /^(\d{1,9})\/(.*)$/.exec(position) ?? []
  if (minute === '') return undefined
  const [prefix, uid = ''] = after.split('#', 2)
  const isPlace = after === '' || (prefix === 'uid' && isIdentifier(uid))
  return isPlace ? { minute: Number(minute), after } : undefined
}
