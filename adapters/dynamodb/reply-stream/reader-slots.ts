/**
 * streams/reader#{n}: the slots of processes that read the stream of the Sessions table. AWS lets
 * two processes read a shard at once and throttles all of them if there are more. So there are two
 * slots, each held by one process until it expires. Bound by docs/design/streams.md#tails.
 *
 *   A: put reader#0 ✔ ──── renews ──── renews ──── removes
 *   B: put reader#0 refused ─ put reader#1 ✔
 *   C: put reader#0 refused ─ put reader#1 refused: no slot
 * Two puts at once: the condition admits one. A put that is repeated finds its own name and is
 * written again. Dying while a slot is held: the slot is free after SLOT_MS. A late copy of a
 * removal finds another name, or none, and removes nothing.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../core/ports/outside.ts'
import { runOutsideTrace } from '../../config/trace.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Key, readerKey } from '../table.ts'

/** How long a slot lasts: three renewals may fail before another process takes it. */
export const SLOT_MS = 75_000

export type ReaderSlots = {
  /** Takes a slot, or renews the one that this process holds, for SLOT_MS. False: all are taken. */
  take(): Promise<boolean>
  release(): Promise<void>
}

export function makeReaderSlots(store: DynamoStore, readersMax: number): ReaderSlots {
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

/** Pause between two renewals of the slot. */
export const SLOT_RENEW_MS = 25_000

/** The slot of this process, shared by its sessions: the first takes it, the last releases it. */
export type SharedReaderSlot = {
  /** False: the session must read its partition. After true, the caller calls `leave` once. */
  enter(): Promise<boolean>
  leave(): Promise<void>
}

export type SharedReaderSlotNeeds = {
  /** Undefined if the store allows any number of readers. */
  readonly slots: ReaderSlots | undefined
  readonly clock: Clock
  onTrouble(cause: unknown): void
  /** Called after each renewal; `held`: this process still has its slot. */
  onRenewed(held: boolean): void
}

/** Without `slots` every session may read the stream. */
export function shareReaderSlot({
  clock,
  onRenewed,
  onTrouble,
  slots,
}: SharedReaderSlotNeeds): SharedReaderSlot {
  if (slots === undefined) return { enter: async () => true, leave: async () => {} }
  let sessions = 0
  let taking: Promise<boolean> | undefined
  let renewing = new AbortController()
  let releasing: Promise<void> = Promise.resolve()
  let heldUntilMs = 0

  /** While the store does not answer, this process keeps its slot until SLOT_MS have passed. */
  const take = async (): Promise<boolean> => {
    const fromMs = clock.nowMs()
    try {
      const held = await slots.take()
      if (held) heldUntilMs = fromMs + SLOT_MS
      return held
    } catch (cause) {
      onTrouble(cause)
      return clock.nowMs() < heldUntilMs
    }
  }
  const renew = async (signal: AbortSignal) => {
    for (;;) {
      await clock.sleep(SLOT_RENEW_MS, signal)
      if (signal.aborted) return
      const held = await take()
      if (!signal.aborted) onRenewed(held)
    }
  }
  const begin = async (): Promise<boolean> => {
    // A release that still runs would remove the slot that is taken here.
    await releasing
    heldUntilMs = 0
    const held = await take()
    if (!held) return false
    renewing = new AbortController()
    const { signal } = renewing
    void runOutsideTrace(() => renew(signal))
    return true
  }
  return {
    async enter() {
      sessions += 1
      taking ??= begin()
      const mine = taking
      if (await mine) return true
      sessions -= 1
      // The next session tries again, since a slot may be free by then.
      if (taking === mine) taking = undefined
      return false
    },
    leave() {
      sessions -= 1
      if (sessions > 0) return Promise.resolve()
      taking = undefined
      renewing.abort()
      releasing = slots.release().catch(onTrouble)
      return releasing
    },
  }
}
