/**
 * Users of the earlier service at every door: what they see, which door moves them, and late
 * credits.
 */

import { describe, expect, test } from 'vitest'
import { authKey } from '../../../../adapters/dynamodb/table.ts'
import { Fault } from '../../../../core/errors.ts'
import {
  MIGRATE_TRIES_MAX,
  migrateKey,
  migrateUser,
} from '../../../../core/flow/migration/migrate-user.ts'
import { sweepV0, V0_KEYS_MAX } from '../../../../core/flow/migration/sweep-v0.ts'
import { auditAccount } from '../../../../core/ledger/audit.ts'
import type { V0Records } from '../../../../core/ports/users.ts'
import { createSweepDoor } from '../../../../lambdas/sweep/door.ts'
import { freshHash } from '../../../contracts/fresh.ts'
import { number, text } from '../../../contracts/v0-service.ts'
import { problemIn, run, successOf } from '../caller.ts'
import { call, openStream, textOf } from '../client.ts'
import { ALL, AUTHORIZATION, OLD_HASH, type V0World, v0World } from './v0-world.ts'

const KNOWN = { uid: 'ada', known: true }

async function account(world: V0World, authorization = AUTHORIZATION) {
  const stream = await openStream(world, authorization)
  await stream.post(call(1, 'sg_account'))
  stream.close()
  const shown = textOf(stream.withId(1)[0])
  return shown.startsWith('{') ? JSON.parse(shown) : shown
}

describe('the first request', () => {
  test('to execute moves the user, and the moved credits pay for the call', async () => {
    const world = await v0World()
    await world.skill('sg_weather', { price: 2 })
    const { credits } = successOf(await run(world, AUTHORIZATION, 'sg_weather'))
    expect(credits).toEqual({ charged: 2, refunded: 0, remaining: 10.5 })
    expect(await world.profile('ada')).toMatchObject({
      username: 'ada',
      tier: 'small',
      credits: 10_500_000,
      holds: {},
      v0: 'moved',
    })
    expect(await world.old.read('credits', 'ada')).toEqual(number('0'))
  })

  test('over a stream and its account tool shows everything and moves nothing', async () => {
    const world = await v0World()
    expect(await account(world)).toMatchObject({ username: 'ada', tier: 'small', credits: 12.5 })
    expect(await world.old.read('credits', 'ada')).toEqual(number('12.5'))
    expect((await world.ports.v0.read('ada')).profile).toBeUndefined()
  })

  test('to any door makes the next sweep move user and key, once', async () => {
    const world = await v0World()
    await openStream(world, AUTHORIZATION)
    await createSweepDoor(world.ports)()
    const nowMs = world.clock.nowMs()
    expect(await world.ports.keys.list('ada')).toEqual([
      {
        keyHash: OLD_HASH,
        uid: 'ada',
        username: 'ada',
        keyPrefix: 'v0',
        createdAtMs: nowMs,
        expiresAtMs: nowMs + 2_592_000_000,
        renewedAtMs: nowMs,
      },
    ])
    expect((await world.profile('ada')).credits).toBe(12_500_000)
    expect(await world.ports.v0.queuedKeys(10)).toEqual([])
    expect(await sweepV0(world.ports)).toEqual({ keys: 0 })
    expect((await world.profile('ada')).credits).toBe(12_500_000)
  })

  test('by a key without other old records acts for a free user without credits', async () => {
    const world = await v0World({ key: text('ada') })
    await world.skill('sg_weather')
    await world.skill('sg_free', { price: 0 })
    expect(await account(world)).toMatchObject({ username: 'ada', tier: 'free', credits: 0 })
    expect(problemIn(await run(world, AUTHORIZATION, 'sg_weather')).code).toBe(
      'insufficient_credits',
    )
    expect(successOf(await run(world, AUTHORIZATION, 'sg_free')).isError).toBe(false)
    expect(await world.profile('ada')).toMatchObject({ tier: 'free', credits: 0, v0: 'moved' })
  })

  test('by a key of this gateway moves the old credits of its user', async () => {
    const world = await v0World({ credits: number('3') })
    await world.skill('sg_weather')
    const bearer = await world.user('bob')
    const keyHash = world.ports.digests.sha256(bearer.slice('Bearer '.length))
    await world.items.send('UpdateItem', {
      TableName: 'Gateway',
      Key: authKey(keyHash),
      UpdateExpression: 'SET #uid = :uid',
      ExpressionAttributeNames: { '#uid': 'uid' },
      ExpressionAttributeValues: { ':uid': 'ada' },
    })
    expect(successOf(await run(world, bearer, 'sg_weather')).credits.remaining).toBe(2)
  })

  test('by an unknown key is refused as before', async () => {
    const world = await v0World({})
    await world.skill('sg_weather')
    expect(problemIn(await run(world, AUTHORIZATION, 'sg_weather')).code).toBe('unauthenticated')
    expect(await world.ports.v0.queuedKeys(10)).toEqual([])
  })

  test('with a moved key that has expired does not revive the key by its old record', async () => {
    const world = await v0World()
    await world.skill('sg_weather')
    await migrateKey(world.ports, OLD_HASH)
    await world.items.send('DeleteItem', { TableName: 'Gateway', Key: authKey(OLD_HASH) })
    expect(problemIn(await run(world, AUTHORIZATION, 'sg_weather')).code).toBe('unauthenticated')
  })
})

describe('a record that cannot be moved', () => {
  test('stays, is named and logged once, and the user is moved with the other records', async () => {
    const world = await v0World({ ...ALL, credits: number('-3') })
    const { amount, born, faults } = await migrateUser(world.ports, { uid: 'ada' })
    expect({ amount, born }).toEqual({ amount: 0, born: true })
    expect(faults).toEqual([
      {
        record: 'credits:ada',
        message: 'is negative; settle the debt and write 0 or more',
      },
    ])
    expect(await world.old.read('credits', 'ada')).toEqual(number('-3'))
    await migrateUser(world.ports, { uid: 'ada' })
    expect(world.log.events()).toEqual(['v0-moved', 'v0-skipped'])
  })

  test('is named and left alone when it belongs to a user id that is not valid here', async () => {
    const world = await v0World({})
    await world.old.put('credits', 'a@b.example', number('3'))
    const { faults, profile } = await migrateUser(world.ports, { uid: 'a@b.example' })
    expect(profile).toBeUndefined()
    expect(faults).toMatchObject([{ record: 'user "a@b.example"' }])
    expect(await world.old.read('credits', 'a@b.example')).toEqual(number('3'))
  })
})

describe('an existing profile', () => {
  test('gets the old credits, and keeps its name, its tier and its grants', async () => {
    const world = await v0World({ credits: text('2.5'), tier: text('small') })
    await world.ports.profiles.create({
      uid: 'ada',
      username: 'Ada L.',
      tier: 'free',
      credits: 1,
      holds: {},
      createdAtMs: 1,
      skillsChangedAtMs: 4,
    })
    expect(await migrateUser(world.ports, KNOWN)).toMatchObject({ born: false, amount: 2_500_000 })
    expect(await world.profile('ada')).toEqual({
      uid: 'ada',
      username: 'Ada L.',
      tier: 'free',
      credits: 2_500_001,
      holds: {},
      createdAtMs: 1,
      skillsChangedAtMs: 4,
      v0: 'moved',
    })
  })
})

describe('an amount that the earlier service adds late', () => {
  async function moved() {
    const world = await v0World()
    await world.skill('sg_weather', { price: 2 })
    await world.skill('sg_dear', { price: 14 })
    await migrateKey(world.ports, OLD_HASH)
    await world.old.add('ada', 3_000_000)
    return world
  }

  test('is shown by the account tool before it is folded in', async () => {
    expect(await account(await moved())).toMatchObject({ credits: 15.5 })
  })

  test('pays for a call that would lack credits without it', async () => {
    const world = await moved()
    const { credits } = successOf(await run(world, AUTHORIZATION, 'sg_dear'))
    expect(credits).toEqual({ charged: 14, refunded: 0, remaining: 1.5 })
  })

  test('is folded in once by the sweep that follows a call', async () => {
    const world = await moved()
    successOf(await run(world, AUTHORIZATION, 'sg_weather'))
    expect((await world.profile('ada')).credits).toBe(10_500_000)
    await world.clock.advance(180_000)
    await createSweepDoor(world.ports)()
    expect((await world.profile('ada')).credits).toBe(13_500_000)
    await createSweepDoor(world.ports)()
    expect((await world.profile('ada')).credits).toBe(13_500_000)
    expect(await world.old.read('credits', 'ada')).toEqual(number('0'))
  })

  test('is a grant in the ledger, as the moved amount is, so that the sum is explained', async () => {
    const world = await moved()
    successOf(await run(world, AUTHORIZATION, 'sg_dear'))
    const { grants } = await world.ports.ledger.grants({ uid: 'ada', limit: 100 })
    const { outcomes } = await world.ports.ledger.list({ uid: 'ada', limit: 100 })
    const profile = await world.profile('ada')
    const audit = auditAccount({ uid: 'ada', profile, grants, outcomes, unreadable: [] })
    expect(audit).toMatchObject({ granted: 15_500_000, charged: 14_000_000, faults: [] })
  })

  test('costs no read of old records for a user who was created here', async () => {
    const world = await v0World({})
    await world.skill('sg_weather', { price: 2 })
    const bob = await world.user('bob', { credits: 1 })
    const never = () => Promise.reject(new Error('looked'))
    Object.assign(world.ports.v0, { read: never, move: never, findKey: never })
    expect(problemIn(await run(world, bob, 'sg_weather')).code).toBe('insufficient_credits')
    expect(await account(world, bob)).toMatchObject({ credits: 1 })
    await world.clock.advance(180_000)
    await createSweepDoor(world.ports)()
  })
})

describe('the move', () => {
  test('ends after 8 tries that met other writes, and nothing is lost', async () => {
    const world = await v0World()
    let tries = 0
    const busy: V0Records = {
      ...world.ports.v0,
      move: async () => {
        tries += 1
        return false
      },
    }
    const moving = migrateUser({ ...world.ports, v0: busy }, { uid: 'ada' })
    await expect(moving).rejects.toMatchObject({ code: 'store_unavailable' })
    expect([tries, MIGRATE_TRIES_MAX]).toEqual([8, 8])
    expect(await world.old.read('credits', 'ada')).toEqual(number('12.5'))
  })

  test('leaves a key that fails to the next sweep, and moves the others', async () => {
    const world = await v0World({})
    const hashes = [freshHash(), freshHash()].sort()
    for (const [i, keyHash] of hashes.entries()) {
      await world.old.put('key', keyHash, text(`u${i}`))
      await world.ports.keys.find(keyHash)
    }
    const { read } = world.ports.v0
    const down: V0Records['read'] = (uid) =>
      uid === 'u0' ? Promise.reject(new Fault('store_unavailable', 'down')) : read(uid)
    const broken = { ...world.ports, v0: { ...world.ports.v0, read: down } }
    expect(await sweepV0(broken)).toEqual({ keys: 1 })
    expect(await world.ports.v0.queuedKeys(10)).toEqual([hashes[0]])
    expect(world.log.events()).toContain('v0-failed')
    expect(await sweepV0(world.ports)).toEqual({ keys: 1 })
  })

  test('takes 200 keys in one sweep and leaves the rest to the next', async () => {
    const world = await v0World({})
    for (let i = 0; i <= 200; i += 1) {
      const keyHash = freshHash()
      await world.old.put('key', keyHash, text('ada'))
      await world.ports.keys.find(keyHash)
    }
    expect(V0_KEYS_MAX).toBe(200)
    expect(await sweepV0(world.ports)).toEqual({ keys: 200 })
    expect(await sweepV0(world.ports)).toEqual({ keys: 1 })
  })
})
