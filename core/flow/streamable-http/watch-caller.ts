/**
 * Checks at each heartbeat of a listen stream whether its key or login has ended. Key records are
 * cached for 30 s, so a stream ends within 30 s and a heartbeat, and costs one read in 30 s at most.
 * Bound by docs/service.md, Streams.
 */
import type { Credential } from '../../access/credential.ts'
import type { Ports } from '../../ports/ports.ts'
import { HEARTBEAT_MS } from '../../session/stream-plan.ts'
import { mayStay } from '../access/authenticate.ts'

export type CallerWatch = {
  /** Starts a check if one is due, without waiting for it. Never throws. */
  check(nowMs: number): void
  /** True once the key or login was found to have ended. */
  isOut(): boolean
}

/** If the store fails, the stream stays open until a later check succeeds. */
export function watchCaller(
  ports: Pick<Ports, 'clock' | 'digests' | 'keys' | 'log'>,
  credential: Credential,
): CallerWatch {
  let isOut = false
  let dueAtMs = ports.clock.nowMs() + HEARTBEAT_MS
  const check = async () => {
    try {
      if (!(await mayStay(ports, credential))) isOut = true
    } catch (cause) {
      ports.log.note('warn', 'stream-action-failed', { action: 'look' }, cause)
    }
  }
  return {
    isOut: () => isOut,
    check: (nowMs) => {
      if (nowMs < dueAtMs) return
      dueAtMs = nowMs + HEARTBEAT_MS
      void check()
    },
  }
}
