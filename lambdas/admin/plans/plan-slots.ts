/**
 * Slots for plans: a few plans run at once, a few wait in the order of their arrival, and all
 * others are refused.
 */
import { ok, type Result, refuse } from '../../../core/errors.ts'
import type { Clock } from '../../../core/ports/outside.ts'
import { PLAN_WAIT_MS_MAX, PLANS_AT_ONCE, PLANS_WAITING_MAX } from './plan-limits.ts'

export type PlanSlots = {
  /** Returns a function that frees the slot. Refuses with `too_many_plans`. */
  take(clock: Pick<Clock, 'alarm'>): Promise<Result<() => void>>
}

export function createPlanSlots(): PlanSlots {
  let free = PLANS_AT_ONCE
  const waiting = new Set<() => void>()
  const release = () => {
    const [next] = waiting
    if (next === undefined) free += 1
    else next()
  }
  const wait = (clock: Pick<Clock, 'alarm'>) =>
    new Promise<Result<() => void>>((resolve) => {
      const grant = () => {
        stopAlarm()
        waiting.delete(grant)
        resolve(ok(release))
      }
      const stopAlarm = clock.alarm(PLAN_WAIT_MS_MAX, () => {
        waiting.delete(grant)
        resolve(TOO_MANY)
      })
      waiting.add(grant)
    })
  return {
    take: async (clock) => {
      if (free > 0) {
        free -= 1
        return ok(release)
      }
      return waiting.size < PLANS_WAITING_MAX ? wait(clock) : TOO_MANY
    },
  }
}

const RETRY_AFTER_SEC = 5

const TOO_MANY = refuse(
  'too_many_plans',
  `body: ${PLANS_AT_ONCE} plans are being made, and others wait. Send it again in ${RETRY_AFTER_SEC} seconds.`,
  { retryAfterSec: RETRY_AFTER_SEC },
)
