/** How many plans are made and wait at once. */
import { expect, test } from 'vitest'
import {
  PLAN_WAIT_MS_MAX,
  PLANS_AT_ONCE,
  PLANS_WAITING_MAX,
} from '../../../../lambdas/admin/plans/plan-limits.ts'
import { createPlanSlots } from '../../../../lambdas/admin/plans/plan-slots.ts'
import { manualClock } from '../../../core/flow/manual-clock.ts'
import { okOf, refusalOf } from '../../../core/flow/world.ts'

test('two plans have a place, eight wait, and the eleventh is refused at once', async () => {
  const clock = manualClock()
  const places = createPlanSlots()
  const first = okOf(await places.take(clock))
  okOf(await places.take(clock))
  const waiting = Array.from({ length: 8 }, () => places.take(clock))
  const refusal = refusalOf(await places.take(clock))
  expect(refusal).toMatchObject({ code: 'too_many_plans', retryAfterSec: 5 })
  expect([PLANS_AT_ONCE, PLANS_WAITING_MAX]).toEqual([2, 8])
  first()
  expect((await waiting[0])?.ok).toBe(true)
})

test('a place that gets free goes to the plan that waits longest', async () => {
  const clock = manualClock()
  const places = createPlanSlots()
  const [one, two] = [okOf(await places.take(clock)), okOf(await places.take(clock))]
  const order: string[] = []
  const waits = ['third', 'fourth'].map(async (name) => {
    okOf(await places.take(clock))
    order.push(name)
  })
  one()
  await waits[0]
  expect(order).toEqual(['third'])
  two()
  await waits[1]
  expect(order).toEqual(['third', 'fourth'])
})

test('a plan waits for 5 s, and is refused then', async () => {
  const clock = manualClock()
  const places = createPlanSlots()
  for (let taken = 0; taken < PLANS_AT_ONCE; taken += 1) okOf(await places.take(clock))
  let answer: unknown
  const waiting = places.take(clock).then((result) => {
    answer = result
  })
  await clock.advance(PLAN_WAIT_MS_MAX - 1)
  expect(answer).toBeUndefined()
  await clock.advance(1)
  await waiting
  expect(answer).toMatchObject({ ok: false, error: { code: 'too_many_plans' } })
})

test('a place that was left while nobody waits is free again', async () => {
  const clock = manualClock()
  const places = createPlanSlots()
  for (let turn = 0; turn < 5; turn += 1) okOf(await places.take(clock))()
})
