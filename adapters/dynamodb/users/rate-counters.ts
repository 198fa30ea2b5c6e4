/**
 * minute:{minute}:{shard}/{keyHash}: how many calls a key made in a minute, and whose it is: the sweep looks there
 * for holds that calls left behind (sweep-entries.ts, ADR 0071). Only counts; the caller compares the count with
 * the limit.
 *
 *   not known to be past its limit ─▶ ADD 1
 *   known, and still past it ───────▶ the known count, no write
 * So one key that is past its limit, however often it is sent, takes one write a minute of each process from the
 * partition that it shares with others.
 */
import { KEY_COUNTS_KNOWN_MAX } from '../../../core/access/limits.ts'
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

export function dynamoRateCounters(store: DynamoStore): RateCounters {
  const past = new Map<string, { readonly minute: number; readonly count: number }>()
  return {
    async count(counter) {
      const { keyHash, limit, minute } = counter
      const known = past.get(keyHash)
      if (known?.minute === minute && limit !== undefined && known.count > (await limit())) {
        return known.count
      }
      const count = await add(store, counter)
      if (limit !== undefined && count > (await limit())) {
        keepYoungest(past, keyHash, { minute, count }, KEY_COUNTS_KNOWN_MAX)
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
 * Two callers at once: ADD is atomic, so each gets its own number. When the client retries after a lost answer, one
 * call counts twice: an error on the safe side that ends with the minute.
 *
 * A call needs its user entered. So while its partition is throttled, it counts in another one of the minute, where the
 * sweep looks as well; there the count begins with 1, so until the minute ends the key may make its calls twice.
 */
function add(store: DynamoStore, counter: MinuteCount): Promise<number> {
  const { keyHash, minute, uid } = counter
  const write = (key: Key) => addTo(store, key, counter)
  if (uid === undefined) return write(minuteKey(minute, keyHash))
  return enterInMinute(minute, keyHash, write)
}

async function addTo(store: DynamoStore, key: Key, { minute, uid }: MinuteCount): Promise<number> {
  const entered = uid === undefined ? '' : ', #uid = :uid'
  const answer = await store.update(store.tables.gateway, {
    key,
    set: `SET #ttl = :ttl${entered} ADD #calls :one`,
    values: {
      one: 1,
      ttl: minute * 60 + SWEEP_ENTRY_TTL_SEC,
      ...(uid === undefined ? {} : { uid }),
    },
  })
  if (answer.kind === 'refused') throw new Fault('internal', 'store: refused without condition')
  return intAt(answer.item, 'calls')
}
