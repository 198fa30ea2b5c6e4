/** Refused credentials are counted by address and minute, and a flood of them is a few lines of the log. */
import { describe, expect, test } from 'vitest'
import {
  createRefusalCounter,
  OTHER_ADDRESSES,
  REFUSAL_ADDRESSES_MAX,
} from '../../../core/access/count-refusals.ts'
import { createAdminDoor } from '../../../lambdas/admin/door.ts'
import { makeWorld } from '../../core/flow/world.ts'
import { askDoor } from './admin-client.ts'

const MINUTE_MS = 60_000

describe('refusals of one address', () => {
  test('have lines at 1, 2, 4, 8 and so on, whose parts add up to all refusals', () => {
    const counter = createRefusalCounter()
    const lines = Array.from({ length: 1_000 }, () => counter.count('192.0.2.7', 0)).flat()
    expect(lines.map(({ count }) => count)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
    expect(lines.reduce((sum, { added }) => sum + added, 0)).toBe(512)
  })

  test('that no line has counted yet are counted when a later minute begins', () => {
    const counter = createRefusalCounter()
    for (let n = 0; n < 7; n += 1) counter.count('192.0.2.7', MINUTE_MS - 1)
    expect(counter.rest(MINUTE_MS - 1)).toEqual([])
    expect(counter.rest(MINUTE_MS)).toEqual([{ address: '192.0.2.7', count: 7, added: 3 }])
    expect(counter.rest(MINUTE_MS)).toEqual([])
    expect(counter.count('192.0.2.7', MINUTE_MS)).toEqual([
      { address: '192.0.2.7', count: 1, added: 1 },
    ])
  })
})

test('100 addresses of a minute are counted each, and further ones together', () => {
  const counter = createRefusalCounter()
  const addressOf = (n: number) => `2001:db8::${n}`
  const count = (n: number) => counter.count(addressOf(n), 0).map(({ address }) => address)
  for (let n = 1; n <= REFUSAL_ADDRESSES_MAX; n += 1) expect(count(n)).toEqual([addressOf(n)])
  expect(count(101)).toEqual([OTHER_ADDRESSES])
  expect(counter.count(addressOf(102), 0)).toEqual([
    { address: OTHER_ADDRESSES, count: 2, added: 1 },
  ])
  expect(counter.count(addressOf(1), 0)).toEqual([{ address: addressOf(1), count: 2, added: 1 }])
})

test('a warm function logs a flood in a few lines, and its rest with the next request that is let in', async () => {
  const world = makeWorld()
  const door = createAdminDoor(world.ports, world.settings)
  const wrong = { headers: { 'x-admin-key': 'a-wrong-admin-key' }, sourceIp: '192.0.2.7' }
  for (let n = 0; n < 100; n += 1) {
    expect((await askDoor(door, 'GET', '/skills', wrong)).status).toBe(401)
  }
  await world.clock.advance(MINUTE_MS)
  expect((await askDoor(door, 'GET', '/skills')).status).toBe(200)
  const lines = world.log.notes
    .filter(({ event }) => event === 'admin-refused')
    .map(({ fields }) => [fields?.['address'], fields?.['count'], fields?.['added']])
  expect(lines).toEqual([
    ['192.0.2.7', 1, 1],
    ['192.0.2.7', 2, 1],
    ['192.0.2.7', 4, 2],
    ['192.0.2.7', 8, 4],
    ['192.0.2.7', 16, 8],
    ['192.0.2.7', 32, 16],
    ['192.0.2.7', 64, 32],
    ['192.0.2.7', 100, 36],
  ])
})
