/** The warning of the admin API about a tier that no setting names. */
import { describe, expect, test } from 'vitest'
import { makeWorld } from '../../core/flow/world.ts'
import { askAdmin } from './admin-client.ts'

const WARNED = [expect.stringMatching(/^tier: proo has the limits of free, .*: free, small;/)]

describe('a tier that no setting names', () => {
  test('an unnamed tier is taken for a new user with a warning that lists the named tiers', async () => {
    const body = { username: 'ada', uid: 'ada', tier: 'proo' }
    const made = await askAdmin(makeWorld(), 'POST', '/users', { body })
    expect([made.status, made.json['tier'], made.json['warnings']]).toEqual([201, 'proo', WARNED])
  })

  test('an unnamed tier is taken for a changed user with the same warning', async () => {
    const world = makeWorld()
    await world.user('ada')
    const changed = await askAdmin(world, 'PATCH', '/users/ada', { body: { tier: 'proo' } })
    expect([changed.status, changed.json['warnings']]).toEqual([200, WARNED])
  })
})

test('a tier with limits has no warning, and the name of a member of every object has one', async () => {
  const world = makeWorld()
  const made = await askAdmin(world, 'POST', '/users', { body: { username: 'a', tier: 'small' } })
  expect(made.json).not.toHaveProperty('warnings')
  const odd = await askAdmin(world, 'POST', '/users', {
    body: { username: 'b', tier: 'constructor' },
  })
  expect(odd.json['warnings']).toHaveLength(1)
})

test('a secret for a skill that does not exist is refused with 404', async () => {
  const world = makeWorld()
  await world.user('ada')
  const set = { query: 'skill=sg_nobody', body: { value: 'a-long-enough-value' } }
  const answer = await askAdmin(world, 'PUT', '/users/ada/secrets/API_KEY', set)
  expect(answer.status).toBe(404)
  expect(await world.ports.secrets.list('ada')).toEqual([])
})
