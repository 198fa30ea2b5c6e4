/**
 * Lists events for administrators, sends a test event, and sends an event again. Bound by
 * docs/admin-api.md, Events.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import {
  EVENT_STATES,
  EVENTS_PAGE_DEFAULT,
  EVENTS_PAGE_MAX,
  type EventRecord,
} from '../../events/event.ts'
import { readPageStart, writeCursor } from '../../json/cursor.ts'
import { type PageQuery, readPageLimit } from '../../json/page-limit.ts'
import type { Ports } from '../../ports/ports.ts'
import { createEventNow, type EventSettings } from './note-crossings.ts'

/** An event as the routes return it. */
export type EventView = Omit<EventRecord, 'nextAtMs' | 'resends'> & { readonly nextAtMs?: number }

/** Lists failed events if no state is given. Refuses with `malformed` a bad limit or cursor. */
export async function listEvents(
  ports: Pick<Ports, 'events'>,
  query: PageQuery & { readonly state: string | undefined },
): Promise<Result<{ events: readonly EventView[]; nextCursor?: string }>> {
  const limits = { max: EVENTS_PAGE_MAX, otherwise: EVENTS_PAGE_DEFAULT }
  const limit = readPageLimit(query.limit, limits)
  if (!limit.ok) return limit
  const after = readPageStart(query.cursor, (id) => (EVENT_ID.test(id) ? id : undefined))
  if (!after.ok) return after
  const state = EVENT_STATES.find((one) => one === query.state) ?? 'failed'
  const { events, next } = await ports.events.list({
    state,
    after: after.value,
    limit: limit.value,
  })
  return ok({
    events: events.map(toView),
    ...(next === undefined ? {} : { nextCursor: writeCursor(next) }),
  })
}

const EVENT_ID = /^[A-Za-z0-9_-]{1,64}$/

/** Queues a test event for the next run of the sender. Refuses with `conflict` without a target. */
export async function sendTestEvent(
  ports: Pick<Ports, 'clock' | 'events' | 'ids'>,
  settings: EventSettings,
): Promise<Result<EventView>> {
  if (settings === undefined) return refuse('conflict', NO_TARGET)
  const event = createEventNow(ports, 'test', { message: 'A test of the events of this gateway.' })
  await ports.events.put(event)
  return ok(toView(event))
}

/**
 * Queues an event again. Refuses with `conflict` without a target, and with `not_found` an event
 * that is pending, expired or unknown.
 */
export async function resendEvent(
  ports: Pick<Ports, 'clock' | 'events'>,
  settings: EventSettings,
  eventId: string,
): Promise<Result<EventView>> {
  if (settings === undefined) return refuse('conflict', NO_TARGET)
  const event = await ports.events.resend({ eventId, nowMs: ports.clock.nowMs() })
  if (event !== undefined) return ok(toView(event))
  return refuse(
    'not_found',
    `eventId: no event ${eventId} has failed or was delivered. Pending ones are sent without asking.`,
    { remedy: { code: 'list_failed_events' } },
  )
}

const NO_TARGET =
  'events: this stage sends none. Set its event target (docs/deploy.md, Events; on the twin --events), deploy or start it again, and send this again.'

function toView({ nextAtMs, resends: _resends, ...event }: EventRecord): EventView {
  return event.state === 'pending' ? { ...event, nextAtMs } : event
}
