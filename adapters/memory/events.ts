/** In-memory twin of the port Events. What changes two rows commits them in one step. */
import { type EventRecord, eventAgain, isSameSending } from '../../core/events/event.ts'
import { markedProfile } from '../../core/ledger/event-marks.ts'
import type { Clock, Events } from '../../core/ports.ts'
import { type Database, ONLY } from './database.ts'

export function memoryEvents(database: Database, clock: Pick<Clock, 'nowMs'>): Events {
  const { events, profiles } = database
  const pending = (seen: EventRecord) => {
    const standing = events.get('pending', seen.eventId)
    return standing !== undefined && isSameSending(standing, seen) ? standing : undefined
  }
  const put = (event: EventRecord) => events.put(event.state, event.eventId, event)
  return {
    record: async ({ event, mark, uid }) => {
      const profile = profiles.get(uid, ONLY)
      const marked = profile && markedProfile(profile, mark, event.eventId)
      if (marked === undefined) return { recorded: false, profile }
      database.commit([
        profiles.putting(uid, ONLY, marked),
        events.putting(event.state, event.eventId, event),
      ])
      return { recorded: true }
    },
    rearm: async ({ told, uid }) => {
      const profile = profiles.get(uid, ONLY)
      if (profile?.lowBalanceTold !== told) return
      const { lowBalanceTold: _gone, ...rest } = profile
      profiles.put(uid, ONLY, rest)
    },
    put: async (event) => put(event),
    list: async ({ after, limit, state }) => {
      events.sweep(clock.nowMs())
      const place = state === 'pending' ? { after } : { before: after, backwards: true }
      const found = events.list(state, { ...place, limit: limit + 1 })
      const page = found.slice(0, limit)
      return { events: page, next: found.length > limit ? page.at(-1)?.eventId : undefined }
    },
    claim: async (event, nextAtMs) => {
      const standing = pending(event)
      if (standing?.attempts !== event.attempts) return undefined
      const claimed = { ...standing, attempts: event.attempts + 1, nextAtMs }
      put(claimed)
      return claimed
    },
    end: async (event) => {
      const { eventId, state } = event
      if (pending(event) === undefined) return false
      database.commit([events.removing('pending', eventId), events.putting(state, eventId, event)])
      return true
    },
    noteError: async (event, error) => {
      const standing = pending(event)
      if (standing?.attempts === event.attempts) put({ ...standing, error })
    },
    resend: async ({ eventId, nowMs }) => {
      const ended = events.get('failed', eventId) ?? events.get('delivered', eventId)
      if (ended === undefined) return undefined
      const again = eventAgain(ended, nowMs)
      database.commit([
        events.removing(ended.state, eventId),
        events.putting('pending', eventId, again),
      ])
      return again
    },
  }
}
