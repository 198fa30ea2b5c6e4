/**
 * The slot of this process among the readers of the stream, shared by all sessions that it serves. The
 * first session takes the slot, and the last one releases it; it is renewed in between. ADR 0037.
 */
import type { Clock } from '../../../core/ports/outside.ts'
import { outsideTrace } from '../../config/trace.ts'
import { type ReaderSlots, SLOT_MS } from './reader-slots.ts'

/** Pause between two renewals of the slot. */
export const SLOT_RENEW_MS = 25_000

export type ReaderPlace = {
  /** False: the session must read its partition. After true, the caller calls `leave` once. */
  enter(): Promise<boolean>
  leave(): Promise<void>
}

export type ReaderPlaceNeeds = {
  /** Undefined if the store allows any number of readers. */
  readonly slots: ReaderSlots | undefined
  readonly clock: Clock
  onTrouble(cause: unknown): void
  /** Called after each renewal; `held`: this process still has its slot. */
  onRenewed(held: boolean): void
}

/** Without `slots` every session may read the stream. */
export function readerPlace({ clock, onRenewed, onTrouble, slots }: ReaderPlaceNeeds): ReaderPlace {
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
    void outsideTrace(() => renew(signal))
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
