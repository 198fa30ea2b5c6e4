/** The admin routes of events, and the changes of administrators that a crossing may follow. */
import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { err, ok } from '../../../core/errors.ts'
import { EVENTS_PAGE_MAX } from '../../../core/events/event.ts'
import { deliverEvents } from '../../../core/flow/events/deliver-events.ts'
import type { Json } from '../../../core/json/json.ts'
import { createSweepDoor } from '../../../lambdas/sweep/door.ts'
import { run } from '../../core/flow/caller.ts'
import { makeWorld, SETTINGS, type World } from '../../core/flow/world.ts'
import { askAdmin } from './admin-client.ts'

const EVENTS = { lowBalance: 5_000_000 }
let world: World

beforeEach(() => {
  world = makeWorld({ ...SETTINGS, events: EVENTS })
})

const ask = (method: string, path: string, sent: { query?: string; body?: Json } = {}) =>
  askAdmin(world, method, path, sent)
const HOOK = { name: 'hook', types: undefined }
const typesIn = async (state: string) => {
  const { json } = await ask('GET', '/events', { query: `state=${state}` })
  const { events } = json
  return Array.isArray(events) ? events.map((event) => Object(event).type) : []
}

test('a test event is pending until the sweep has sent it', async () => {
  const sent = await ask('POST', '/events:test')
  expect([sent.status, sent.json['state']]).toEqual([202, 'pending'])
  expect(await typesIn('pending')).toEqual(['test'])
  const target = { ...HOOK, deliver: async () => ok('delivered' as const) }
  await createSweepDoor(world.ports, { settings: EVENTS, targets: [target] })()
  expect([await typesIn('pending'), await typesIn('delivered')]).toEqual([[], ['test']])
})

test('an event that failed is listed without a state, and is sent again on demand', async () => {
  await ask('POST', '/events:test')
  const failing = {
    ...HOOK,
    deliver: async () => err('the webhook answered 500; it must answer with 2xx'),
  }
  for (let minute = 0; minute < 400; minute += 1) {
    await deliverEvents(world.ports, [failing])
    await world.clock.advance(60_000)
  }
  const { json } = await ask('GET', '/events')
  const [event] = Array.isArray(json['events']) ? json['events'] : []
  const { eventId, targets } = Object(event)
  const error = 'the webhook answered 500; it must answer with 2xx'
  expect(targets).toEqual([{ target: 'hook', error }])
  expect((await ask('GET', `/events/${eventId}`)).json).toEqual(event)
  expect((await ask('GET', '/events/unknown')).status).toBe(404)
  const again = await ask('POST', `/events/${eventId}/resend`)
  expect([again.status, again.json['attempts']]).toEqual([202, 0])
  expect((await ask('POST', `/events/${eventId}/resend`)).status).toBe(404)
})

test('grants, corrections, batches and thresholds of administrators cross the threshold as calls do', async () => {
  await ask('POST', '/users', { body: { uid: 'ada', username: 'ada', credits: 7 } })
  const correction = { grantId: 'g1', amount: -3, reason: 'a test' }
  await ask('POST', '/users/ada/credits', { body: correction })
  expect(await typesIn('pending')).toEqual(['low_balance'])
  await askAdmin(world, 'POST', '/credits:batch', {
    body: '{"uid":"ada","grantId":"g2","amount":3}',
  })
  expect(await world.profile('ada')).not.toHaveProperty('lowBalanceTold')
  const patched = await ask('PATCH', '/users/ada', { body: { lowBalance: 7 } })
  expect([patched.status, patched.json['lowBalance']]).toEqual([200, 7])
  expect(await typesIn('pending')).toEqual(['low_balance', 'low_balance'])
  expect((await ask('GET', '/users/ada')).json['lowBalance']).toBe(7)
  expect(
    (await ask('PATCH', '/users/ada', { body: { lowBalance: null } })).json,
  ).not.toHaveProperty('lowBalance')
})

test.each([-1, 1e12, '0.0000001', true, 'five'])(
  'a threshold of %j is refused',
  async (lowBalance) => {
    await ask('POST', '/users', { body: { uid: 'ada', username: 'ada' } })
    expect((await ask('PATCH', '/users/ada', { body: { lowBalance } })).status).toBe(422)
  },
)

test.each([
  [`limit=${EVENTS_PAGE_MAX}`, 200],
  [`limit=${EVENTS_PAGE_MAX + 1}`, 400],
  ['state=lost', 400],
  ['cursor=MTpubyBpZA', 400],
])('GET events with ?%s is %i', async (query, status) => {
  expect((await ask('GET', '/events', { query })).status).toBe(status)
})

test('a stage without a target refuses tests and repeats, and lists what is left', async () => {
  world = makeWorld()
  expect((await ask('POST', '/events:test')).status).toBe(409)
  expect((await ask('POST', '/events/e-1/resend')).status).toBe(409)
  expect((await ask('GET', '/events')).json).toEqual({ events: [] })
})

describe('the check of a signature in docs/admin-api.md', async () => {
  const page = readFileSync('docs/admin-api.md', 'utf8')
  const code = /```js\n(.*?isFromSkillgate.*?)```/s.exec(page)?.[1] ?? ''
  const url = `data:text/javascript,${encodeURIComponent(code)}`
  const { isFromSkillgate } = await import(/* @vite-ignore */ url)
  const { createHmac } = await import('node:crypto')
  const body = '{"id":"e-1"}'
  const mac = (secret: string) => createHmac('sha256', secret).update(`1000.${body}`).digest('hex')
  const header = `t=1000,v1=${mac('new')},v1=${mac('old')}`

  test.each([
    ['takes each of two values', header, body, 'old', 1_000_000, true],
    ['takes a delivery of five minutes ago', header, body, 'new', 1_300_000, true],
    ['refuses an older one', header, body, 'new', 1_301_000, false],
    ['refuses another body', header, `${body} `, 'new', 1_000_000, false],
    ['refuses another secret', header, body, 'other', 1_000_000, false],
    ['refuses another time', header.replace('1000', '1001'), body, 'new', 1_000_000, false],
    ['refuses a header without parts', '', body, 'new', 1_000_000, false],
  ])('%s', (_what, sent, ...rest) => {
    const [text, secret, nowMs, isTaken] = rest
    expect(isFromSkillgate(sent, text, secret, nowMs)).toBe(isTaken)
  })
})

test('a call of an agent is told of once, through the doors', async () => {
  const key = await world.user('ada', { credits: 6 })
  await world.skill('sg_weather')
  for (let call = 0; call < 3; call += 1) await run(world, key, 'sg_weather')
  expect(await typesIn('pending')).toEqual(['low_balance'])
})
