/**
 * ratelimit:{keyHash}/{minute}: how many calls a key made in a minute. Only counts; the caller
 * compares the count with the limit.
 */
import { MINUTE_COUNTER_TTL_SEC } from '../../../core/access/limits.ts'
import { Fault } from '../../../core/errors.ts'
import type { RateCounters } from '../../../core/ports.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { intAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { RATELIMIT_PK, ratelimitKey } from '../table.ts'

export const RATE_COUNTER_PERMISSIONS: Permissions<RateCounters> = {
  count: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [RATELIMIT_PK] }],
  read: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [RATELIMIT_PK] }],
}

export function dynamoRateCounters(store: DynamoStore): RateCounters {
  return {
    // Two callers at once: ADD is atomic, so each gets its own number. When the SDK retries after a
    // lost answer, one call counts twice: an error on the safe side that ends with the minute.
    async count({ keyHash, minute }) {
      const answer = await store.update(store.tables.gateway, {
        key: ratelimitKey(keyHash, minute),
        set: 'SET #ttl = :ttl ADD #calls :one',
        values: { one: 1, ttl: minute * 60 + MINUTE_COUNTER_TTL_SEC },
      })
      if (answer.kind === 'refused') throw new Fault('internal', 'store: refused without condition')
      return intAt(answer.item, 'calls')
    },
    async read({ keyHash, minute }) {
      const item = await store.get(
        store.tables.gateway,
        ratelimitKey(keyHash, minute),
        'consistent',
      )
      return item === undefined ? 0 : intAt(item, 'calls')
    },
  }
}
