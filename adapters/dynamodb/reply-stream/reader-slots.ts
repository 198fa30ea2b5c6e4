/**
 * streams/reader#{n}: who reads the stream of the Sessions table. AWS lets two processes read a shard
 * at once and throttles all of them beyond that, so there are as many slots, each held by one process
 * until its time is over. Bound by ADR 0037.
 *
 *   A: put reader#0 ✔ ──── renews ──── renews ──── removes
 *   B: put reader#0 refused ─ put reader#1 ✔
 *   C: put reader#0 refused ─ put reader#1 refused: no place
 * Two at once: the condition lets one in. Our own put sent again finds the own name and is written
 * again. Dies while it holds one: the slot is free after SLOT_MS. A removal that is carried out late
 * finds another name, or none, and removes nothing.
 */
import { randomBytes } from 'node:crypto'
import type { DynamoStore } from '../client/document-store.ts'
import { type Key, readerKey } from '../table.ts'

/** Three renewals may fail before another process takes the slot. */
export const SLOT_MS = 75_000

export type ReaderSlots = {
  /** Takes a slot, or renews the one that this process holds, for SLOT_MS. False: all are taken. */
  take(): Promise<boolean>
  release(): Promise<void>
}

export function readerSlots(store: DynamoStore, readersMax: number): ReaderSlots {
  const table = store.tables.sessions
  const reader = randomBytes(9).toString('base64url')
  const keys = Array.from({ length: readersMax }, (_, n) => readerKey(n))
  let own: Key | undefined

  const put = async (key: Key): Promise<boolean> => {
    const nowMs = store.clock.nowMs()
    const expiresAtMs = nowMs + SLOT_MS
    const ttl = Math.ceil(expiresAtMs / 1000)
    const answer = await store.put(table, {
      item: { ...key, reader, expiresAtMs, ttl },
      if: 'attribute_not_exists(#pk) OR #expiresAtMs <= :nowMs OR #reader = :reader',
      values: { nowMs, reader },
    })
    return answer.kind === 'written'
  }
  return {
    async take() {
      const first = own
      const inOrder = first === undefined ? keys : [first, ...keys.filter((key) => key !== first)]
      for (const key of inOrder) {
        if (!(await put(key))) continue
        own = key
        return true
      }
      own = undefined
      return false
    },
    async release() {
      const key = own
      own = undefined
      if (key === undefined) return
      await store.removeIf(table, { key, if: '#reader = :reader', values: { reader } })
    },
  }
}
