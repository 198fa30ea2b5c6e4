/**
 * streams/reader#{n}: the slots of processes that read the stream of the Sessions table. AWS lets two
 * processes read a shard at once and throttles all of them if there are more. So there are two slots,
 * each held by one process until it expires. Bound by ADR 0037.
 *
 *   A: put reader#0 ✔ ──── renews ──── renews ──── removes
 *   B: put reader#0 refused ─ put reader#1 ✔
 *   C: put reader#0 refused ─ put reader#1 refused: no slot
 * Two puts at once: the condition admits one. A put that is repeated finds its own name and is written
 * again. Dying while a slot is held: the slot is free after SLOT_MS. A late copy of a removal finds
 * another name, or none, and removes nothing.
 */
import { randomBytes } from 'node:crypto'
import type { DynamoStore } from '../client/document-store.ts'
import { type Key, readerKey } from '../table.ts'

/** How long a slot lasts: three renewals may fail before another process takes it. */
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
  let ownKey: Key | undefined

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
      const first = ownKey
      const inOrder = first === undefined ? keys : [first, ...keys.filter((key) => key !== first)]
      for (const key of inOrder) {
        if (!(await put(key))) continue
        ownKey = key
        return true
      }
      ownKey = undefined
      return false
    },
    async release() {
      const key = ownKey
      ownKey = undefined
      if (key === undefined) return
      await store.removeIf(table, { key, if: '#reader = :reader', values: { reader } })
    },
  }
}
