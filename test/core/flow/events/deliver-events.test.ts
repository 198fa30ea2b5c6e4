/** Deliveries: retried with growing pauses, ended after the last, and listed for administrators. */
import { beforeEach, expect, test } from 'vitest'
import { err, Fault, ok } from '../../../../core/errors.ts'
import { createEvent, EVENT_TRIES_MAX, type EventRecord } from '../../../../core/events/event.ts'
import {
  DELIVER_AT_ONCE,
  deliverEvents,
  RETRY_AFTER_MS_MAX,
} from '../../../../core/flow/events/deliver-events.ts'
import {
  listEvents,
  resendEvent,
  sendTestEvent,
} from '../../../../core/flow/events/manage-events.ts'
import type { EventTarget } from '../../../../core/ports/ledger.ts'
import { makeWorld, okOf, refusalOf, type World } from '../world.ts'

const EVENTS = { lowBalance: 0 }
const PAGE = { limit: undefined, cursor: undefined }

let world: World
let sent: { readonly id: string; readonly atMs: number }[]

beforeEach(() => {
  world = makeWorld()
  sent = []
})

function target(
  answer: () => ReturnType<EventTarget['deliver']> = async () => ok('delivered'),
  more: Partial<EventTarget> = {},
): readonly EventTarget[] {
  const deliver = async ({ eventId }: EventRecord) => {
    sent.push({ id: eventId, atMs: world.clock.nowMs() })
    return answer()
  }
  return [{ name: 'hook', types: undefined, deliver, ...more }]
}
const failing = () => target(async () => err('the webhook answered 500; it must answer with 2xx'))
const states = async (state: string) =>
  okOf(await listEvents(world.ports, { ...PAGE, state })).events

test('a pending event is delivered once and listed as delivered', async () => {
  const { eventId } = okOf(await sendTestEvent(world.ports, EVENTS))
  expect(await deliverEvents(world.ports, target())).toBe(1)
  expect(await deliverEvents(world.ports, target())).toBe(0)
  expect(sent.map(({ id }) => id)).toEqual([eventId])
  expect(await states('delivered')).toMatchObject([{ eventId, type: 'test', attempts: 1 }])
  expect(await states('pending')).toEqual([])
})

test('an event that fails is tried 12 times in six hours under one id, and then listed as failed', async () => {
  await sendTestEvent(world.ports, EVENTS)
  const startMs = world.clock.nowMs()
  for (let minute = 0; minute < 400; minute += 1) {
    await deliverEvents(world.ports, failing())
    await world.clock.advance(60_000)
  }
  const minutes = sent.map(({ atMs }) => (atMs - startMs) / 60_000)
  expect(minutes).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363])
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1)
  expect(EVENT_TRIES_MAX).toBe(12)
  const targets = [{ target: 'hook', error: 'the webhook answered 500; it must answer with 2xx' }]
  expect(await states('failed')).toMatchObject([{ attempts: 12, targets, state: 'failed' }])
  const failed = world.log.notes.filter(({ event }) => event === 'event-failed')
  expect(failed).toMatchObject([{ level: 'error', fields: { type: 'test', attempt: 12 } }])
})

test('an event that failed is sent again when an administrator asks, and an unknown one is not found', async () => {
  const { eventId } = okOf(await sendTestEvent(world.ports, EVENTS))
  for (let minute = 0; minute < 400; minute += 1) {
    await deliverEvents(world.ports, failing())
    await world.clock.advance(60_000)
  }
  expect(okOf(await resendEvent(world.ports, EVENTS, eventId))).toMatchObject({
    state: 'pending',
    attempts: 0,
  })
  await deliverEvents(world.ports, target())
  expect(await states('delivered')).toMatchObject([{ eventId }])
  expect(refusalOf(await resendEvent(world.ports, EVENTS, 'unknown')).code).toBe('not_found')
  expect(refusalOf(await resendEvent(world.ports, undefined, eventId)).code).toBe('conflict')
  expect(refusalOf(await sendTestEvent(world.ports, undefined)).code).toBe('conflict')
})

test('a target that took an event does not get it again while another one fails, and its time stays', async () => {
  const { eventId } = okOf(await sendTestEvent(world.ports, EVENTS))
  let isDown = true
  const taken: string[] = []
  const targets: readonly EventTarget[] = [
    ...target(async () => (isDown ? err('is down') : ok('delivered'))),
    {
      name: 'slack',
      types: ['low_balance'],
      deliver: async ({ eventId: id }) => {
        taken.push(id)
        return ok('delivered')
      },
    },
  ]
  await deliverEvents(world.ports, targets)
  const takenAtMs = world.clock.nowMs()
  expect(await states('pending')).toMatchObject([
    {
      targets: [
        { target: 'hook', error: 'is down' },
        { target: 'slack', takenAtMs },
      ],
    },
  ])
  await world.clock.advance(60_000)
  isDown = false
  await deliverEvents(world.ports, targets)
  expect([taken, sent.length]).toEqual([[eventId], 2])
  expect(await states('delivered')).toMatchObject([
    { eventId, targets: [{ target: 'hook' }, { target: 'slack', takenAtMs }] },
  ])
})

test('an event goes to the targets that take its type, and is delivered if there is none', async () => {
  const low = createEvent({ eventId: 'e-low', type: 'low_balance', data: {}, nowMs: 1 })
  const [other] = target(undefined, { name: 'tools', types: ['tool_failing'] })
  if (other === undefined) throw new Error('no target')
  await world.ports.events.put(low)
  await deliverEvents(world.ports, [other])
  expect(sent).toEqual([])
  expect(await states('delivered')).toMatchObject([{ eventId: 'e-low', targets: [] }])
  await world.ports.events.put({ ...low, eventId: 'e-tool', type: 'tool_failing' })
  await deliverEvents(world.ports, [other])
  expect(sent.map(({ id }) => id)).toEqual(['e-tool'])
})

test('an event that failed is sent again to the targets that lack it alone, a delivered one to all', async () => {
  const { eventId } = okOf(await sendTestEvent(world.ports, EVENTS))
  const [hook] = target(async () => err('is down'))
  const [slack] = target(undefined, { name: 'slack' })
  if (hook === undefined || slack === undefined) throw new Error('no target')
  for (let minute = 0; minute < 400; minute += 1) {
    await deliverEvents(world.ports, [hook, slack])
    await world.clock.advance(60_000)
  }
  expect(sent).toHaveLength(13)
  for (const deliveries of [1, 2]) {
    sent = []
    okOf(await resendEvent(world.ports, EVENTS, eventId))
    await deliverEvents(world.ports, [...target(), slack])
    expect(sent).toHaveLength(deliveries)
  }
})

test('an event whose sender died after the send is sent again with the same id', async () => {
  const { eventId } = okOf(await sendTestEvent(world.ports, EVENTS))
  const { events } = world.ports
  const dying = { ...events, end: () => Promise.reject(new Fault('store_unavailable', 'died')) }
  await deliverEvents({ ...world.ports, events: dying }, target())
  expect(await deliverEvents(world.ports, target())).toBe(0)
  await world.clock.advance(60_000)
  await deliverEvents(world.ports, target())
  expect(sent.map(({ id }) => id)).toEqual([eventId, eventId])
  expect(await states('delivered')).toMatchObject([{ eventId, attempts: 2 }])
})

test('two senders at once deliver each event once between them', async () => {
  for (let made = 0; made < 20; made += 1) await sendTestEvent(world.ports, EVENTS)
  await Promise.all([0, 1].map(() => deliverEvents(world.ports, target())))
  expect(new Set(sent.map(({ id }) => id)).size).toBe(20)
  expect(sent).toHaveLength(20)
})

test('no more than eight deliveries run at once, and a store that fails for one event delays no other', async () => {
  for (let made = 0; made < 20; made += 1) await sendTestEvent(world.ports, EVENTS)
  let running = 0
  let most = 0
  const slow = target(async () => {
    running += 1
    most = Math.max(most, running)
    await Promise.resolve()
    running -= 1
    return ok('delivered')
  })
  const { events } = world.ports
  const [first] = (await events.list({ state: 'pending', limit: 1 })).events
  const claim: typeof events.claim = (event, nextAtMs) =>
    event.eventId === first?.eventId
      ? Promise.reject(new Fault('store_unavailable', 'down'))
      : events.claim(event, nextAtMs)
  await deliverEvents({ ...world.ports, events: { ...events, claim } }, slow)
  expect([most <= DELIVER_AT_ONCE, DELIVER_AT_ONCE, sent.length]).toEqual([true, 8, 19])
  expect(await states('pending')).toMatchObject([{ eventId: first?.eventId }])
})

test('no delivery begins once 15 seconds are over', async () => {
  for (let made = 0; made < 20; made += 1) await sendTestEvent(world.ports, EVENTS)
  const slow = target(async () => {
    await world.clock.sleep(10_000)
    return ok('delivered')
  })
  const run = deliverEvents(world.ports, slow)
  await world.clock.advance(60_000)
  expect([await run, sent.length]).toEqual([16, 16])
})

test.each([
  [{ limit: '100' }, true],
  [{ limit: '101' }, false],
  [{ limit: '0' }, false],
  [{ cursor: 'MTpubyBpZA' }, false],
  [{ cursor: '%' }, false],
])('a page with %j is answered: %s', async (query, isAnswered) => {
  const listed = await listEvents(world.ports, { ...PAGE, state: undefined, ...query })
  expect(listed.ok).toBe(isAnswered)
})

test.each([
  [120_000, 120_000],
  [3_600_000, 3_600_000],
  [3_600_001, 3_600_000],
  // The first pause of the gateway is a minute.
  [30_000, 60_000],
])('a target that asks for a pause of %i ms gets the next try after %i', async (asked, pauseMs) => {
  expect(RETRY_AFTER_MS_MAX).toBe(3_600_000)
  await sendTestEvent(world.ports, EVENTS)
  const busy = target(async () => err({ reason: 'the channel answered 429', retryAfterMs: asked }))
  await deliverEvents(world.ports, busy)
  await world.clock.advance(pauseMs - 1)
  expect(await deliverEvents(world.ports, busy)).toBe(0)
  await world.clock.advance(1)
  expect(await deliverEvents(world.ports, busy)).toBe(1)
})

test('an event fails at once if every target that lacks it says that no later try can succeed', async () => {
  await sendTestEvent(world.ports, EVENTS)
  const gone = target(async () => err({ reason: 'its webhook was removed', isFinal: true }))
  await deliverEvents(world.ports, [...gone, ...target(undefined, { name: 'other' })])
  expect(await states('failed')).toMatchObject([
    { attempts: 1, targets: [{ error: 'its webhook was removed' }, { target: 'other' }] },
  ])
})

test('an event whose other target may still take it stays pending', async () => {
  await sendTestEvent(world.ports, EVENTS)
  const gone = target(async () => err({ reason: 'its webhook was removed', isFinal: true }))
  const down = target(async () => err('the webhook answered 500'), { name: 'other' })
  await deliverEvents(world.ports, [...gone, ...down])
  expect(await states('pending')).toMatchObject([{ attempts: 1 }])
  expect(await states('failed')).toEqual([])
})
