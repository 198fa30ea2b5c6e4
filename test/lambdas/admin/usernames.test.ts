/** The warning of the admin API about a username that another user has. */
import { describe, expect, test } from 'vitest'
import { Fault } from '../../../core/errors.ts'
import { CLAIM_TRIES_MAX, NAMESAKES_MAX } from '../../../core/flow/users/claim-username.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { askAdmin } from './admin-client.ts'

async function made(world: World, uid: string, username: string) {
  return askAdmin(world, 'POST', '/users', { body: { uid, username } })
}

async function changed(world: World, uid: string, body: { username?: string; tier?: string }) {
  return askAdmin(world, 'PATCH', `/users/${uid}`, { body })
}

const warnedOf = (...uids: readonly string[]) => [
  expect.stringMatching(
    new RegExp(
      `^username: \\S+ is also the name of user${uids.length > 1 ? 's' : ''} ${uids.join(', ')}\\.`,
    ),
  ),
]

describe('a username that another user has', () => {
  test('is taken for a new user with a warning that names the other', async () => {
    const world = makeWorld()
    const first = await made(world, 'u1', 'ada')
    expect(first.status).toBe(201)
    expect(first.json).not.toHaveProperty('warnings')
    const second = await made(world, 'u2', 'ada')
    expect([second.status, second.json['username']]).toEqual([201, 'ada'])
    expect(second.json['warnings']).toEqual(warnedOf('u1'))
  })

  test('is taken for a renamed user with the same warning', async () => {
    const world = makeWorld()
    await made(world, 'u1', 'ada')
    await made(world, 'u2', 'grace')
    const renamed = await changed(world, 'u2', { username: 'ada' })
    expect([renamed.status, renamed.json['warnings']]).toEqual([200, warnedOf('u1')])
  })

  test.each([
    ['ada', 'ADA'],
    ['Łucja', 'łUCJA'],
    ['caf\u00e9', 'cafe\u0301'],
    ['ada', ' ada '],
  ])('a username %j is the same name as %j', async (one, other) => {
    const world = makeWorld()
    await made(world, 'u1', one)
    expect((await made(world, 'u2', other)).json['warnings']).toHaveLength(1)
  })

  test('is warned of beside a tier that no setting names', async () => {
    const world = makeWorld()
    await made(world, 'u1', 'ada')
    const body = { uid: 'u2', username: 'ada', tier: 'proo' }
    const { json } = await askAdmin(world, 'POST', '/users', { body })
    expect(json['warnings']).toEqual([expect.stringMatching(/^tier: /), ...warnedOf('u1')])
  })
})

describe('a change without a warning', () => {
  test('no warning comes when the user who had the name was renamed', async () => {
    const world = makeWorld()
    await made(world, 'u1', 'ada')
    await changed(world, 'u1', { username: 'grace' })
    expect((await made(world, 'u2', 'ada')).json).not.toHaveProperty('warnings')
    expect((await changed(world, 'u1', { username: 'ada' })).json['warnings']).toEqual(
      warnedOf('u2'),
    )
  })

  test('no warning comes when a user keeps the name or gets another tier', async () => {
    const world = makeWorld()
    await made(world, 'u1', 'ada')
    expect((await changed(world, 'u1', { username: 'Ada' })).json).not.toHaveProperty('warnings')
    await made(world, 'u2', 'ada')
    expect((await changed(world, 'u2', { tier: 'small' })).json).not.toHaveProperty('warnings')
  })
})

test('a third user of a name is warned of the second when the first has another name', async () => {
  const world = makeWorld()
  for (const uid of ['u1', 'u2']) await made(world, uid, 'ada')
  await changed(world, 'u1', { username: 'grace' })
  expect((await made(world, 'u3', 'ada')).json['warnings']).toEqual(warnedOf('u2'))
  expect((await made(world, 'u4', 'ada')).json['warnings']).toEqual(warnedOf('u2', 'u3'))
})

test('a user who is older than the claims is noticed from the next rename on', async () => {
  const world = makeWorld()
  await world.user('u1', { username: 'ada' })
  expect((await made(world, 'u2', 'ada')).json).not.toHaveProperty('warnings')
  expect((await changed(world, 'u1', { username: 'ada' })).json['warnings']).toEqual(warnedOf('u2'))
  expect((await made(world, 'u3', 'ada')).json['warnings']).toEqual(warnedOf('u2', 'u1'))
})

test('a claim names the newest users of a name up to its limit, and renamed ones make room', async () => {
  const world = makeWorld()
  const uids = Array.from({ length: NAMESAKES_MAX + 1 }, (_, index) => `u${index}`)
  for (const uid of uids) await made(world, uid, 'user')
  expect((await made(world, 'late', 'user')).json['warnings']).toEqual(warnedOf(...uids.slice(1)))
  for (const uid of uids) await changed(world, uid, { username: `name-of-${uid}` })
  expect((await made(world, 'last', 'user')).json['warnings']).toEqual(warnedOf('late'))
})

test('each but the first of several users who are made at once with one name is warned', async () => {
  const world = makeWorld()
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, index) => made(world, `u${index}`, 'ada')),
  )
  const counts = answers.map(({ json }) => [json['warnings'] ?? []].flat().length)
  expect(counts.sort()).toEqual([0, 1, 1, 1, 1])
})

test.each([
  [CLAIM_TRIES_MAX - 1, /is also the name of user u1/],
  [CLAIM_TRIES_MAX, /Send PATCH/],
])('a claim that others overtake %i times is answered with %s', async (times, warning) => {
  const world = makeWorld()
  await made(world, 'u1', 'ada')
  const { usernames } = world.ports
  let left = times
  const write: typeof usernames.write = async (...claim) => {
    left -= 1
    return left < 0 ? usernames.write(...claim) : false
  }
  world.ports.usernames = { ...usernames, write }
  const { json } = await made(world, 'u2', 'ada')
  expect(json['warnings']).toEqual([expect.stringMatching(warning)])
})

test('a user is made although the store fails at the claim, and the warning names the remedy', async () => {
  const world = makeWorld()
  await made(world, 'u1', 'ada')
  const { usernames } = world.ports
  const read = async () => {
    throw new Fault('store_unavailable', 'store: did not answer')
  }
  world.ports.usernames = { ...usernames, read }
  const second = await made(world, 'u2', 'ada')
  expect([second.status, second.json['warnings']]).toEqual([
    201,
    [expect.stringContaining('Set this username once more')],
  ])
  expect((await changed(world, 'u2', { username: 'ada' })).status).toBe(503)
  world.ports.usernames = usernames
  expect((await changed(world, 'u2', { username: 'ada' })).json['warnings']).toEqual(warnedOf('u1'))
})
