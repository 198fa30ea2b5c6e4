/** events:{state}/{eventId} as an item. `data` is stored as JSON text. */
import { Fault } from '../../../core/errors.ts'
import {
  EVENT_STATES,
  EVENT_TYPES,
  type EventRecord,
  toEventExpiryMs,
} from '../../../core/events/event.ts'
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts'
import { parseJson } from '../../../core/json/parse-json.ts'
import { type Item, intAt, optionalIntAt, optionalTextAt, textAt, wordAt } from '../client/item.ts'
import { eventKey } from '../table.ts'

export function toEventItem(event: EventRecord): Item {
  const expiresAtMs = toEventExpiryMs(event)
  return {
    ...eventKey(event.state, event.eventId),
    ...event,
    data: JSON.stringify(event.data),
    ...(Number.isFinite(expiresAtMs) ? { ttl: Math.ceil(expiresAtMs / 1_000) } : {}),
  }
}

export function fromEventItem(item: Item): EventRecord {
  const error = optionalTextAt(item, 'error')
  const endedAtMs = optionalIntAt(item, 'endedAtMs')
  const resends = optionalIntAt(item, 'resends')
  return {
    eventId: textAt(item, 'eventId'),
    type: wordAt(item, 'type', EVENT_TYPES),
    createdAtMs: intAt(item, 'createdAtMs'),
    data: parseData(textAt(item, 'data')),
    state: wordAt(item, 'state', EVENT_STATES),
    attempts: intAt(item, 'attempts'),
    nextAtMs: intAt(item, 'nextAtMs'),
    ...(error === undefined ? {} : { error }),
    ...(endedAtMs === undefined ? {} : { endedAtMs }),
    ...(resends === undefined ? {} : { resends }),
  }
}

function parseData(text: string): JsonObject {
  const parsed = parseJson(text, { subject: 'data' })
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value
  throw new Fault('internal', 'store: data of an event is no JSON object')
}
