/**
 * minute:{minute}:{shard}/{keyHash}: how many calls a key made in a minute, and its user. The sweep
 * reads these records to find users with open holds (sweep-entries.ts, docs/design/ledger.md#the-sweep). This file only
 * counts; the caller compares the count with the limit.
 *
 *   the key is not cached as over its limit ─▶ ADD 1
 *   it is cached, and still over it ─────────▶ the cached count, no write
 * So a key over its limit costs its shared partition one write a minute from each process.
 */
import { KEY_COUNTS_CACHED_MAX } from '../../../core/access/limits.ts'
import { keepYoungest } from '../../../core/cache/keep-youngest.ts'
import { Fault } from '../../../core/errors.ts'
import { SWEEP_ENTRY_TTL_SEC } from '../../../core/ledger/limits.ts'
import type { MinuteCount, RateCounters } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { intAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { enterInMinute } from '../records/minute-shards.ts'
import { type Key, MINUTE_PK, minuteKey } from '../table.ts'

export const RATE_COUNTER_PERMISSIONS: Permissions<RateCounters> = {
  count: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [MINUTE_PK] }],
  read: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [MINUTE_PK] }],
}

/** The port RateCounters; the cache of keys over their limit belongs to this process. */
export function dynamoRateCounters(store: DynamoStore): RateCounters {
  const overLimit = new Map<string, { readonly minute: number; readonly count: number }>()
  return {
    async count(counter) {
      const { keyHash, limit, minute } = counter
      const known = overLimit.get(keyHash)
      if (known?.minute === minute && limit !== undefined && known.count > (await limit())) {
        return known.count
      }
      const count = await countCall(store, counter)
      if (limit !== undefined && count > (await limit())) {
        keepYoungest(overLimit, keyHash, { minute, count }, KEY_COUNTS_CACHED_MAX)
      }
      return count
    },
    async read({ keyHash, minute }) {
      const key = minuteKey(minute, keyHash)
      const item = await store.get(store.tables.gateway, key, 'consistent')
      return item === undefined ? 0 : intAt(item, 'calls')
    },
  }
}

/**
 * Two callers at once: ADD is atomic, so each gets its own number. If the client retries after a
 * lost answer, one call is counted twice: a safe error that ends with the minute.
 *
 * The sweep must find the user of each call. So while its partition is throttled, a call is counted
 * in the opposite shard, which the sweep reads too. That count begins with 1, so until the minute
 * ends the key may make twice its calls.
 */
function countCall(store: DynamoStore, counter: MinuteCount): Promise<number> {
  const { keyHash, minute, uid } = counter
  const write = (key: Key) => addOne(store, key, counter)
  if (uid === undefined) return write(minuteKey(minute, keyHash))
  return enterInMinute(minute, keyHash, write)
}

async function addOne(store: DynamoStore, key: Key, { minute, uid }: MinuteCount): Promise<number> {
  const userClause = uid === undefined ? '' : ', #uid = :uid'
  const answer = await store.update(store.tables.gateway, {
    key,
    set: `SET #ttl = :ttl${userClause} ADD #calls :one`,
    values: {
      one: 1,
      ttl: minute * 60 + SWEEP_ENTRY_TTL_SEC,
      ...(uid === undefined ? {} : { uid }),
    },
  })
  if (answer.kind === 'refused') throw new Fault('internal', 'store: refused without condition')
  return intAt(answer.item, 'calls')
}
