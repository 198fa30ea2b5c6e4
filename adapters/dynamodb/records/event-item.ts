/** events:{state}/{eventId} as an item. `data` and `errors` are stored as JSON text. */
import { Fault } from '../../../core/errors.ts'
import { EVENT_STATES, type EventRecord, toEventExpiryMs } from '../../../core/events/event.ts'
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts'
import { parseJson } from '../../../core/json/parse-json.ts'
import { EVENT_TYPES } from '../../../core/settings/event-target.ts'
import type { ToolState } from '../../../core/usage/failing-tools.ts'
import {
  type Item,
  intAt,
  mapAt,
  optionalIntAt,
  optionalTextAt,
  textAt,
  wordAt,
} from '../client/item.ts'
import { eventKey, toolStateKey } from '../table.ts'

export function toEventItem(event: EventRecord): Item {
  const expiresAtMs = toEventExpiryMs(event)
  return {
    ...eventKey(event.state, event.eventId),
    ...event,
    data: JSON.stringify(event.data),
    ...(event.errors === undefined ? {} : { errors: JSON.stringify(event.errors) }),
    ...(Number.isFinite(expiresAtMs) ? { ttl: Math.ceil(expiresAtMs / 1_000) } : {}),
  }
}

export function fromEventItem(item: Item): EventRecord {
  const errors = optionalTextAt(item, 'errors')
  const taken = mapAt(item, 'taken')
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
    taken: Object.fromEntries(Object.keys(taken).map((target) => [target, intAt(taken, target)])),
    ...(errors === undefined ? {} : { errors: parseErrors(errors) }),
    ...(endedAtMs === undefined ? {} : { endedAtMs }),
    ...(resends === undefined ? {} : { resends }),
  }
}

export function toToolStateItem({ failing, slot }: ToolState): Item {
  return { ...toolStateKey(), slot, failing: JSON.stringify(failing) }
}

export function fromToolStateItem(item: Item): ToolState {
  const failing = Object.entries(parseData(textAt(item, 'failing')))
  return {
    slot: intAt(item, 'slot'),
    failing: Object.fromEntries(failing.map(([skillId, slot]) => [skillId, Number(slot)])),
  }
}

function parseErrors(text: string): NonNullable<EventRecord['errors']> {
  const errors = Object.entries(parseData(text))
  return Object.fromEntries(errors.map(([target, error]) => [target, String(error)]))
}

function parseData(text: string): JsonObject {
  const parsed = parseJson(text, { subject: 'data' })
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value
  throw new Fault('internal', 'store: data of an event is no JSON object')
}
