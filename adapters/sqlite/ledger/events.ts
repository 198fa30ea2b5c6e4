/** The port Events: a row for each event, which moves from state to state. */
import {
  EVENT_STATES,
  EVENT_TYPES,
  type EventRecord,
  eventAgain,
  eventExpiresAtMs,
  isSameSending,
} from '../../../core/events/event.ts'
import { markedProfile } from '../../../core/ledger/event-marks.ts'
import type { Clock, Events } from '../../../core/ports.ts'
import type { ProfileRows } from '../accounts/profile-rows.ts'
import type { Database } from '../database/database.ts'
import { expiredRows } from '../database/expired-rows.ts'
import {
  intAt,
  jsonObjectFrom,
  optionalIntAt,
  optionalTextAt,
  type Row,
  textAt,
  wordAt,
} from '../database/row.ts'

export function sqliteEvents(
  database: Database,
  profiles: ProfileRows,
  clock: Pick<Clock, 'nowMs'>,
): Events {
  const rows = eventRows(database)
  const removeOld = expiredRows(database, { table: 'events', key: 'rowid', end: 'expiresAtMs' })
  return {
    record: ({ event, mark, uid }) =>
      database.writeDurably(() => {
        const profile = profiles.find(uid)
        const marked = profile && markedProfile(profile, mark, event.eventId)
        if (marked === undefined) return { recorded: false, profile }
        if (mark.of === 'balance') profiles.setLowBalanceTold(uid, event.eventId)
        else profiles.setBudgets(uid, marked)
        rows.put(event)
        removeOld(clock.nowMs())
        return { recorded: true }
      }),
    rearm: ({ told, uid }) =>
      database.write(() => {
        if (profiles.find(uid)?.lowBalanceTold === told) profiles.setLowBalanceTold(uid, null)
      }),
    put: (event) => database.writeDurably(() => rows.put(event)),
    list: async ({ after, limit, state }) => {
      const found = await database.read(() =>
        state === 'pending'
          ? rows.oldest(after ?? '', limit + 1)
          : rows.newest(state, { before: after ?? LAST_ID, nowMs: clock.nowMs() }, limit + 1),
      )
      const events = found.slice(0, limit)
      return { events, next: found.length > limit ? events.at(-1)?.eventId : undefined }
    },
    claim: (event, nextAtMs) =>
      database.writeDurably(() => {
        const standing = rows.pending(event)
        if (standing?.attempts !== event.attempts) return undefined
        const claimed = { ...standing, attempts: event.attempts + 1, nextAtMs }
        rows.put(claimed)
        return claimed
      }),
    end: (event) =>
      database.writeDurably(() => {
        if (rows.pending(event) === undefined) return false
        rows.put(event)
        return true
      }),
    noteError: (event, error) =>
      database.write(() => {
        const standing = rows.pending(event)
        if (standing?.attempts === event.attempts) rows.put({ ...standing, error })
      }),
    resend: ({ eventId, nowMs }) =>
      database.writeDurably(() => {
        const standing = rows.find(eventId)
        if (standing === undefined || standing.state === 'pending') return undefined
        const again = eventAgain(standing, nowMs)
        rows.put(again)
        return again
      }),
  }
}

/** Sorts behind every id. */
const LAST_ID = '~'

function eventRows(database: Database) {
  const put = database.prepare(
    `INSERT OR REPLACE INTO events
       (state, eventId, type, createdAtMs, data, attempts, nextAtMs, error, endedAtMs, expiresAtMs, resends)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const find = database.prepare('SELECT * FROM events WHERE eventId = ?')
  const oldest = database.prepare(
    "SELECT * FROM events WHERE state = 'pending' AND eventId > ? ORDER BY eventId LIMIT ?",
  )
  const newest = database.prepare(
    `SELECT * FROM events WHERE state = ? AND eventId < ? AND expiresAtMs > ?
     ORDER BY eventId DESC LIMIT ?`,
  )
  const findEvent = (eventId: string) => {
    const row = find.get(eventId)
    return row === undefined ? undefined : eventFrom(row)
  }
  return {
    put: (event: EventRecord) => {
      const { attempts, createdAtMs, data, endedAtMs, error, eventId, nextAtMs, state, type } =
        event
      const { resends = 0 } = event
      const times = [attempts, nextAtMs, error ?? null, endedAtMs ?? null]
      const endMs = Math.min(eventExpiresAtMs(event), Number.MAX_SAFE_INTEGER)
      put.run(state, eventId, type, createdAtMs, JSON.stringify(data), ...times, endMs, resends)
    },
    find: findEvent,
    /** Undefined also for one that was sent again since `seen` was read. */
    pending: (seen: EventRecord) => {
      const standing = findEvent(seen.eventId)
      const stands = standing?.state === 'pending' && isSameSending(standing, seen)
      return stands ? standing : undefined
    },
    oldest: (after: string, limit: number) => oldest.all(after, limit).map(eventFrom),
    newest: (state: string, of: { before: string; nowMs: number }, limit: number) =>
      newest.all(state, of.before, of.nowMs, limit).map(eventFrom),
  }
}

function eventFrom(row: Row): EventRecord {
  const error = optionalTextAt(row, 'error')
  const endedAtMs = optionalIntAt(row, 'endedAtMs')
  const resends = intAt(row, 'resends')
  return {
    eventId: textAt(row, 'eventId'),
    type: wordAt(row, 'type', EVENT_TYPES),
    createdAtMs: intAt(row, 'createdAtMs'),
    data: jsonObjectFrom(textAt(row, 'data'), 'data'),
    state: wordAt(row, 'state', EVENT_STATES),
    attempts: intAt(row, 'attempts'),
    nextAtMs: intAt(row, 'nextAtMs'),
    ...(error === undefined ? {} : { error }),
    ...(endedAtMs === undefined ? {} : { endedAtMs }),
    ...(resends === 0 ? {} : { resends }),
  }
}
