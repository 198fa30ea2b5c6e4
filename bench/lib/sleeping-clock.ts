/**
 * A clock whose alarms are sleeps, for tests and benches that move the time by their own `sleep`.
 */
import type { Clock } from '../../core/ports/outside.ts'

export function createSleepingClock({ nowMs, sleep }: Omit<Clock, 'alarm'>): Clock {
  return {
    nowMs,
    sleep,
    alarm: (ms, ring) => {
      const off = new AbortController()
      void sleep(ms, off.signal).then(() => {
        if (!off.signal.aborted) ring()
      })
      return () => off.abort('off')
    },
  }
}
