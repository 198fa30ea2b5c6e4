/**
 * The port Events over events:{state}/{eventId}. One transaction writes the mark in the profile and
 * its event, so neither exists without the other. One transaction also moves an event to the
 * partition of its next state. Bound by ADR 0052.
 */
import {
  DELIVERED_KEPT_MS,
  EVENT_STATES,
  type EventRecord,
  FAILED_KEPT_MS,
  toResentEvent,
} from '../../../core/events/event.ts'
import type { EventMark } from '../../../core/ledger/event-marks.ts'
import type { Events } from '../../../core/ports/ledger.ts'
import { toStoredBalance } from '../client/credits-codec.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Expression } from '../client/expression.ts'
import type { Item } from '../client/item.ts'
import type { TransactWrite } from '../client/transaction.ts'
import type { Permission, Permissions } from '../permission.ts'
import {
  fromEventItem,
  fromToolStateItem,
  toEventItem,
  toToolStateItem,
} from '../records/event-item.ts'
import { fromProfileItem } from '../records/profile-item.ts'
import { EVENTS_PK, eventKey, PROFILE_PK, profileKey, toolStateKey } from '../table.ts'

const MOVE_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['PutItem', 'DeleteItem'], keyPrefixes: [EVENTS_PK] },
]
const UPDATE_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [EVENTS_PK] },
]
const READ_PERMISSION: Permission = {
  table: 'gateway',
  actions: ['GetItem'],
  keyPrefixes: [EVENTS_PK],
}
const MARK_PERMISSION: Permission = {
  table: 'gateway',
  actions: ['UpdateItem'],
  keyPrefixes: [PROFILE_PK],
}

export const EVENTS_PERMISSIONS: Permissions<Events> = {
  record: [MARK_PERMISSION, { table: 'gateway', actions: ['PutItem'], keyPrefixes: [EVENTS_PK] }],
  rearm: [MARK_PERMISSION],
  put: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [EVENTS_PK] }],
  list: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [EVENTS_PK] }],
  claim: UPDATE_PERMISSIONS,
  end: MOVE_PERMISSIONS,
  noteTry: UPDATE_PERMISSIONS,
  find: [READ_PERMISSION],
  readTools: [READ_PERMISSION],
  recordTools: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [EVENTS_PK] }],
  resend: [READ_PERMISSION, ...MOVE_PERMISSIONS],
}

export function dynamoEvents(store: DynamoStore): Events {
  const table = store.tables.gateway
  return {
    // Two processes see one crossing: the mark of the first makes the store refuse the second with
    // its event. If the answer is lost, the token recognises the repeated request. Dying before:
    // the mark is not set, and the next reader of the profile sees the crossing.
    async record({ event, mark, uid }) {
      const put = { table, put: toEventItem(event), if: 'attribute_not_exists(#pk)' }
      const write = { table, key: profileKey(uid), ...makeMarkWrite(mark, event.eventId) }
      const answer = await store.transact([write, put])
      if (answer.kind === 'written') return { recorded: true }
      const old = answer.refusals[0]?.old
      return { recorded: false, profile: old === undefined ? undefined : fromProfileItem(old) }
    },

    async rearm({ told, uid }) {
      await store.change(table, {
        key: profileKey(uid),
        set: 'REMOVE #lowBalanceTold',
        if: '#lowBalanceTold = :told',
        values: { told },
      })
    },

    // A transaction because of its token: a late copy of a plain put would make a sent event
    // pending.
    async put(event) {
      await store.transact([{ table, put: toEventItem(event), if: 'attribute_not_exists(#pk)' }])
    },

    list: (of) => listEvents(store, of),

    // Two senders at once: the first increases `attempts`, so the second finds another number. A
    // late copy finds a higher number, or an event that was sent again.
    async claim(event, nextAtMs) {
      const { attempts } = event
      const answer = await store.update(table, {
        key: eventKey('pending', event.eventId),
        set: 'SET #attempts = :next, #nextAtMs = :nextAtMs',
        ...ifNotResent(event, '#attempts = :attempts', { attempts, next: attempts + 1, nextAtMs }),
      })
      return answer.kind === 'written' ? fromEventItem(answer.item) : undefined
    },

    end: (event) => move(store, { ...event, state: 'pending' }, event),

    noteTry: (event, tried) => noteTry(store, event, tried),

    ...toolStateOf(store),

    find: (eventId) => findEvent(store, eventId),

    async resend({ eventId, nowMs }) {
      for (const state of ['failed', 'delivered'] as const) {
        const item = await store.get(table, eventKey(state, eventId), 'consistent')
        if (item === undefined) continue
        const ended = fromEventItem(item)
        const again = toResentEvent(ended, nowMs)
        // If another request resends it at the same time, there is still one pending event.
        await move(store, ended, again)
        return again
      }
      return undefined
    },
  }
}

/**
 * Moves an event. The store refuses the move if the event is not in the state of `from`, or was
 * resent since. An ended event becomes pending only by a resend, which increases `resends`. So a
 * late copy of a refused move is always refused; the token recognises a copy of one that was
 * carried out. A slow sender's end of an earlier sending is refused too.
 */
async function move(store: DynamoStore, from: EventRecord, to: EventRecord): Promise<boolean> {
  const table = store.tables.gateway
  const writes: readonly TransactWrite[] = [
    {
      table,
      remove: eventKey(from.state, to.eventId),
      ...ifNotResent(from, 'attribute_exists(#pk)'),
    },
    { table, put: toEventItem(to), if: 'attribute_not_exists(#pk)' },
  ]
  return (await store.transact(writes)).kind === 'written'
}

/**
 * A slow sender is overtaken by the next try. Its errors are old, so its write is refused; that a
 * target took the event stays true, so a second write adds this alone. A late copy of either adds
 * what is there already, unless the event was sent again.
 *
 *   A claims try 1 ─▶ target X takes it ─────────────▶ A notes X
 *          B claims try 2 ─▶ X again ─▶ B notes or ends
 */
async function noteTry(
  store: DynamoStore,
  event: EventRecord,
  { errors, nextAtMs, taken }: Parameters<Events['noteTry']>[1],
): Promise<void> {
  const table = store.tables.gateway
  const { attempts, eventId } = event
  const key = eventKey('pending', eventId)
  const marks = makeTakenWrites(taken)
  const answer = await store.update(table, {
    key,
    set: `SET ${['#errors = :errors', '#nextAtMs = :nextAtMs', ...marks.sets].join(', ')}`,
    names: marks.names,
    ...ifNotResent(event, '#attempts = :attempts', {
      ...marks.values,
      attempts,
      errors: JSON.stringify(errors),
      nextAtMs,
    }),
  })
  if (answer.kind === 'written' || marks.sets.length === 0) return
  await store.update(table, {
    key,
    set: `SET ${marks.sets.join(', ')}`,
    names: marks.names,
    ...ifNotResent(event, 'attribute_exists(#pk)', marks.values),
  })
}

async function findEvent(store: DynamoStore, eventId: string): ReturnType<Events['find']> {
  for (const state of EVENT_STATES) {
    const item = await store.get(store.tables.gateway, eventKey(state, eventId), 'consistent')
    if (item !== undefined) return fromEventItem(item)
  }
  return undefined
}

function toolStateOf(store: DynamoStore): Pick<Events, 'readTools' | 'recordTools'> {
  const table = store.tables.gateway
  return {
    async readTools() {
      const item = await store.get(table, toolStateKey(), 'consistent')
      return item === undefined ? undefined : fromToolStateItem(item)
    },

    // Two sweeps judge one slot: the state of the first has its slot, so the second is refused with
    // its events. Slots only grow, so a late copy is refused, too.
    async recordTools({ events, seen, state }) {
      const isSeen =
        seen === undefined
          ? { if: 'attribute_not_exists(#pk)' }
          : { if: '#slot = :seen', values: { seen } }
      const put = { table, put: toToolStateItem(state), ...isSeen }
      const made = events.map(
        (event) => ({ table, put: toEventItem(event), if: 'attribute_not_exists(#pk)' }) as const,
      )
      return (await store.transact([put, ...made])).kind === 'written'
    },
  }
}

/** Each target has its own place in the map, so that two senders overwrite nothing. */
function makeTakenWrites(taken: EventRecord['taken']) {
  const entries = Object.entries(taken)
  return {
    sets: entries.map((_, at) => `#taken.#target${at} = :taken${at}`),
    names: Object.fromEntries(entries.map(([target], at) => [`target${at}`, target])),
    values: Object.fromEntries(entries.map(([, atMs], at) => [`taken${at}`, atMs])),
  }
}

/** The condition, joined with the one that the event was not resent. */
function ifNotResent({ resends }: EventRecord, condition: string, values: Item = {}) {
  return resends === undefined
    ? { if: `${condition} AND attribute_not_exists(#resends)`, values }
    : { if: `${condition} AND #resends = :resends`, values: { ...values, resends } }
}

async function listEvents(
  store: DynamoStore,
  { after, limit, state }: Parameters<Events['list']>[0],
): ReturnType<Events['list']> {
  const isPending = state === 'pending'
  const { pk } = eventKey(state, '-')
  const place = after === undefined ? '' : ` AND #sk ${isPending ? '>' : '<'} :after`
  const items = await store.query(store.tables.gateway, {
    where: `#pk = :pk${place}`,
    values: { pk, ...(after === undefined ? {} : { after }) },
    limit: limit + 1,
    backwards: !isPending,
  })
  // DynamoDB removes expired items late, so they are filtered here.
  const keptMs = state === 'failed' ? FAILED_KEPT_MS : DELIVERED_KEPT_MS
  const sinceMs = store.clock.nowMs() - keptMs
  const found = items.map(fromEventItem)
  const page = found.slice(0, limit)
  return {
    events: page.filter(({ endedAtMs }) => endedAtMs === undefined || endedAtMs > sinceMs),
    next: found.length > limit ? page.at(-1)?.eventId : undefined,
  }
}

type MarkWrite = Expression & { readonly update: string; readonly if: string }

/**
 * The write of a mark to profile:{uid}: the rules of core/ledger/event-marks.ts as a condition.
 * Refused if the mark is already set, or the balance or budget has changed since it was read.
 */
function makeMarkWrite(mark: EventMark, eventId: string): MarkWrite {
  if (mark.of === 'balance') {
    const { credits, seen } = mark
    const isSeen =
      seen === undefined ? 'attribute_not_exists(#lowBalanceTold)' : '#lowBalanceTold = :seen'
    return {
      update: 'SET #lowBalanceTold = :eventId',
      if: `attribute_exists(#pk) AND ${isSeen} AND #credits = :credits`,
      values: {
        eventId,
        credits: toStoredBalance(credits),
        ...(seen === undefined ? {} : { seen }),
      },
    }
  }
  if (mark.of === 'day') {
    const { day, keyHash } = mark
    const path = '#keyDays.#keyHash'
    return {
      update: `SET ${path}.#toldDay = :day`,
      if: `${path}.#day = :day AND (attribute_not_exists(${path}.#toldDay) OR ${path}.#toldDay <> :day)`,
      names: { keyHash },
      values: { day },
    }
  }
  const { keyHash, month, sinceMs } = mark
  const budget = keyHash === undefined ? '#budget' : '#keyBudgets.#keyHash'
  const isUntold = `attribute_not_exists(${budget}.#toldMonth) OR ${budget}.#toldMonth <> :month`
  return {
    update: `SET ${budget}.#toldMonth = :month`,
    if: `${budget}.#sinceMs = :sinceMs AND ${budget}.#month = :month AND (${isUntold})`,
    ...(keyHash === undefined ? {} : { names: { keyHash } }),
    values: { month, sinceMs },
  }
}
