/**
 * Messages over the session of an issuer's user. Its record has no secret, so messages compares the
 * secret of the credential that was handed on with one made of the login secret.
 */
import { describe, expect, test } from 'vitest'
import {
  toIdentityId,
  toIdentityRecord,
  toIdentitySealingKey,
} from '../../../core/access/identity.ts'
import { call, openStreamOf, textOf } from '../../core/flow/client.ts'
import { makeWorld } from '../../core/flow/world.ts'

const IDENTITY = { issuer: 'https://login.example', subject: 'ada' }

/** A stream of the identity whose credential has this secret; undefined for its own. */
async function openedWith(sealingKey?: string) {
  const world = makeWorld()
  await world.user('ada', { credits: 10 })
  await world.skill('sg_weather')
  const { digests, keys, logins } = world.ports
  const id = toIdentityId(digests, IDENTITY)
  const user = { uid: 'ada', username: 'ada' }
  const nowMs = world.clock.nowMs()
  await keys.putIdentity({ record: toIdentityRecord({ id, identity: IDENTITY, user, nowMs }) })
  const own = toIdentitySealingKey(digests, await logins.secret(), id)
  const credential = {
    kind: 'key',
    id,
    form: 'identity',
    keyStart: undefined,
    mayCall: true,
  } as const
  const stream = await openStreamOf(world, { ...credential, sealingKey: sealingKey ?? own })
  return { world, stream }
}

describe('a message over the session of an identity', () => {
  test('is a call of its user, if the gateway made the secret', async () => {
    const { stream, world } = await openedWith()
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(1_000)
    expect(textOf(stream.withId(1)[0])).toContain('sunny')
    expect(await world.credits('ada')).toEqual({ free: 9, held: 0 })
  })

  test('makes no call and reads no account with another secret, whatever its id', async () => {
    const { stream, world } = await openedWith('x'.repeat(43))
    await stream.post(call(1, 'sg_weather'))
    await stream.post(call(2, 'sg_account'))
    await world.clock.advance(1_000)
    for (const id of [1, 2]) {
      expect(JSON.stringify(stream.withId(id))).toContain('was not verified by the gateway')
    }
    expect(world.upstream.requests).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 10, held: 0 })
  })
})
