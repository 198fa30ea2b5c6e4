/** Places for plans: a few at once, a few that wait in the order in which they came, and a refusal for all others. */
import { ok, type Result, refuse } from '../../../core/errors.ts'
import type { Clock } from '../../../core/ports/outside.ts'
import { PLAN_WAIT_MS_MAX, PLANS_AT_ONCE, PLANS_WAITING_MAX } from './plan-limits.ts'

export type PlanPlaces = {
  /** Answers a function that frees the place; refuses with `too_many_plans`. */
  take(clock: Pick<Clock, 'alarm'>): Promise<Result<() => void>>
}

export function planPlaces(): PlanPlaces {
  let free = PLANS_AT_ONCE
  const waiting = new Set<() => void>()
  const leave = () => {
    const [next] = waiting
    if (next === undefined) free += 1
    else next()
  }
  const wait = (clock: Pick<Clock, 'alarm'>) =>
    new Promise<Result<() => void>>((resolve) => {
      const get = () => {
        stopAlarm()
        waiting.delete(get)
        resolve(ok(leave))
      }
      const stopAlarm = clock.alarm(PLAN_WAIT_MS_MAX, () => {
        waiting.delete(get)
        resolve(TOO_MANY)
      })
      waiting.add(get)
    })
  return {
    take: async (clock) => {
      if (free > 0) {
        free -= 1
        return ok(leave)
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
