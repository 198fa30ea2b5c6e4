/**
 * The port Events: events:{state}/{eventId}. The mark in the profile and its event are one transaction, so
 * neither is without the other; an event that ends moves to the partition of its end in one, too. Bound by
 * ADR 0052.
 */
import {
  DELIVERED_KEPT_MS,
  type EventRecord,
  eventAgain,
  FAILED_KEPT_MS,
} from '../../../core/events/event.ts'
import type { Events } from '../../../core/ports/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Item } from '../client/item.ts'
import type { TransactWrite } from '../client/transaction.ts'
import type { Permission, Permissions } from '../permission.ts'
import { eventFrom, eventItem } from '../records/event-item.ts'
import { profileFrom } from '../records/profile-item.ts'
import { EVENTS_PK, eventKey, PROFILE_PK, profileKey } from '../table.ts'
import { markWrite } from './event-mark-write.ts'

const MOVES: readonly Permission[] = [
  { table: 'gateway', actions: ['PutItem', 'DeleteItem'], keyPrefixes: [EVENTS_PK] },
]
const UPDATES: readonly Permission[] = [
  { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [EVENTS_PK] },
]
const MARKS: Permission = { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [PROFILE_PK] }

export const EVENTS_PERMISSIONS: Permissions<Events> = {
  record: [MARKS, { table: 'gateway', actions: ['PutItem'], keyPrefixes: [EVENTS_PK] }],
  rearm: [MARKS],
  put: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [EVENTS_PK] }],
  list: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [EVENTS_PK] }],
  claim: UPDATES,
  end: MOVES,
  noteError: UPDATES,
  resend: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [EVENTS_PK] }, ...MOVES],
}

export function dynamoEvents(store: DynamoStore): Events {
  const table = store.tables.gateway
  return {
    // Two processes see one crossing: the mark of the first refuses the second, and its event with it. Sent
    // again after a lost answer, the request is known by its token. Dying before: the mark is not set, and
    // whoever looks at the profile next sees the crossing.
    async record({ event, mark, uid }) {
      const put = { table, put: eventItem(event), if: 'attribute_not_exists(#pk)' }
      const write = { table, key: profileKey(uid), ...markWrite(mark, event.eventId) }
      const answer = await store.transact([write, put])
      if (answer.kind === 'written') return { recorded: true }
      const old = answer.refusals[0]?.old
      return { recorded: false, profile: old === undefined ? undefined : profileFrom(old) }
    },

    async rearm({ told, uid }) {
      await store.change(table, {
        key: profileKey(uid),
        set: 'REMOVE #lowBalanceTold',
        if: '#lowBalanceTold = :told',
        values: { told },
      })
    },

    // A transaction for its token: a late copy of a plain put would make an event that was sent pending again.
    async put(event) {
      await store.transact([{ table, put: eventItem(event), if: 'attribute_not_exists(#pk)' }])
    },

    list: (of) => listEvents(store, of),

    // Two senders at once: the first counts the try, and the second finds another count. A late copy finds a
    // higher count, or an event that was sent again.
    async claim(event, nextAtMs) {
      const { attempts } = event
      const answer = await store.update(table, {
        key: eventKey('pending', event.eventId),
        set: 'SET #attempts = :next, #nextAtMs = :nextAtMs',
        ...ofSending(event, '#attempts = :attempts', { attempts, next: attempts + 1, nextAtMs }),
      })
      return answer.kind === 'written' ? eventFrom(answer.item) : undefined
    },

    end: (event) => move(store, { ...event, state: 'pending' }, event),

    async noteError(event, error) {
      const { attempts, eventId } = event
      await store.update(table, {
        key: eventKey('pending', eventId),
        set: 'SET #error = :error',
        ...ofSending(event, '#attempts = :attempts', { attempts, error }),
      })
    },

    async resend({ eventId, nowMs }) {
      for (const state of ['failed', 'delivered'] as const) {
        const item = await store.get(table, eventKey(state, eventId), 'consistent')
        if (item === undefined) continue
        const ended = eventFrom(item)
        const again = eventAgain(ended, nowMs)
        // Another request sends it again at the same time: there is one pending event all the same.
        await move(store, ended, again)
        return again
      }
      return undefined
    },
  }
}

/**
 * Refused where the event is not in the state of `from`, or was sent again since. An event that has ended
 * comes back only by being sent again, which counts, so a late copy of a refused move is refused for ever; the
 * token knows a copy of one that was carried out. A slow sender's end of an earlier sending is refused as well.
 */
async function move(store: DynamoStore, from: EventRecord, to: EventRecord): Promise<boolean> {
  const table = store.tables.gateway
  const writes: readonly TransactWrite[] = [
    {
      table,
      remove: eventKey(from.state, to.eventId),
      ...ofSending(from, 'attribute_exists(#pk)'),
    },
    { table, put: eventItem(to), if: 'attribute_not_exists(#pk)' },
  ]
  return (await store.transact(writes)).kind === 'written'
}

/** The condition, and that the event was not sent again. */
function ofSending({ resends }: EventRecord, condition: string, values: Item = {}) {
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
  // DynamoDB removes expired items late.
  const keptMs = state === 'failed' ? FAILED_KEPT_MS : DELIVERED_KEPT_MS
  const sinceMs = store.clock.nowMs() - keptMs
  const found = items.map(eventFrom)
  const page = found.slice(0, limit)
  return {
    events: page.filter(({ endedAtMs }) => endedAtMs === undefined || endedAtMs > sinceMs),
    next: found.length > limit ? page.at(-1)?.eventId : undefined,
  }
}
