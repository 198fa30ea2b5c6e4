/** Shared secrets: which users' calls get them, in which order, and where they are never sent. */

import { describe, expect, test } from 'vitest'
import { runSteps } from '../../../../bench/lib/run-steps.ts'
import { deleteSkill } from '../../../../core/flow/registry/manage-skills.ts'
import {
  deleteSharedSecret,
  listSharedSecrets,
} from '../../../../core/flow/users/manage-shared-secrets.ts'
import { execute, problemIn, run, successOf } from '../caller.ts'
import { okOf, type World } from '../world.ts'
import { BEARER, setFor, setShared, worldWith } from './calls-with-secrets.ts'

const HERE = { origins: ['https://api.example'] }
const ALL = { limit: undefined, cursor: undefined }
const OFFICIAL = { source: 'official', skillId: 'sg_weather' } as const

function sent({ upstream }: World): readonly unknown[] {
  return upstream.requests.map(({ headers }) => headers['authorization'])
}

describe('a call of a user without the secret', () => {
  test('takes the gateway’s for the skill before the one for all skills, and the user’s own before both', async () => {
    const { world, ada } = await worldWith(BEARER)
    const used = async () => {
      const { secretsUsed } = await execute(world, ada, 'sg_weather')
      return secretsUsed
    }
    await setShared(world, 'shared-for-all', { body: HERE })
    expect(await used()).toEqual([{ name: 'API_KEY', from: 'shared' }])
    await setShared(world, 'shared-for-one', { skill: 'sg_weather' })
    expect(await used()).toEqual([{ name: 'API_KEY', from: 'shared-skill' }])
    await setFor(world, 'ada', { API_KEY: 'ada-for-all' })
    expect(await used()).toEqual([{ name: 'API_KEY', from: 'user' }])
    await setFor(world, 'ada', { API_KEY: 'ada-for-one' }, 'sg_weather')
    expect(await used()).toEqual([{ name: 'API_KEY', from: 'user-skill' }])
    expect(sent(world)).toEqual([
      'Bearer shared-for-all',
      'Bearer shared-for-one',
      'Bearer ada-for-all',
      'Bearer ada-for-one',
    ])
  })

  test('says in its line whose it took, and that it failed to take any', async () => {
    const { world, ada } = await worldWith(BEARER)
    problemIn(await run(world, ada, 'sg_weather'))
    await setShared(world, 'shared-value', { skill: 'sg_weather' })
    successOf(await run(world, ada, 'sg_weather'))
    world.upstream.next({ kind: 'answer', status: 500 })
    problemIn(await run(world, ada, 'sg_weather'))
    const shared = [{ name: 'API_KEY', from: 'shared-skill' }]
    expect(world.log.calls.map(({ secretsUsed }) => secretsUsed)).toEqual([
      undefined,
      shared,
      shared,
    ])
    expect(JSON.stringify(world.log)).not.toContain('shared-value')
  })

  test('never shows the value that the upstream repeats', async () => {
    const { world, ada } = await worldWith(BEARER)
    await setShared(world, 'shared "value"', { skill: 'sg_weather' })
    for (const status of [200, 400, 401]) {
      const body = JSON.stringify({ error: 'no access with shared "value"' })
      world.upstream.next({ kind: 'answer', status, body })
      const answer = JSON.stringify(await run(world, ada, 'sg_weather'))
      expect(answer).toContain('[secret API_KEY]')
      expect(answer).not.toMatch(/shared \\*"value/)
    }
  })
})

describe('a shared secret', () => {
  test.each(['market', 'private'] as const)(
    'does not go to a %s skill, whatever it is bound to',
    async (source) => {
      const { world, ada } = await worldWith({})
      await setShared(world, 'shared-value', { body: HERE })
      const owner = source === 'private' ? { uid: 'ada' } : {}
      await world.skill('sg_other', { source, config: BEARER, ...owner })
      const name = source === 'private' ? 'ada_sg_other' : 'sg_other'
      const problem = problemIn(await run(world, ada, name))
      expect(problem.code).toBe('secret_missing')
      expect(problem.detail).not.toContain('/v1/admin/secrets/')
      expect(sent(world)).toEqual([])
    },
  )

  test('does not go to a market skill that took the id of the deleted official one', async () => {
    const { world, ada } = await worldWith(BEARER)
    await setShared(world, 'shared-value', { skill: 'sg_weather' })
    okOf(await deleteSkill(world.ports, world.settings, OFFICIAL))
    await world.skill('sg_weather', { source: 'market', config: BEARER })
    expect(problemIn(await run(world, ada, 'sg_weather')).code).toBe('secret_missing')
    expect(sent(world)).toEqual([])
  })

  test('does not follow its skill to a new origin, and the failure says who must confirm', async () => {
    const { world, ada } = await worldWith(BEARER)
    await setShared(world, 'shared-value', { skill: 'sg_weather' })
    const config = { ...BEARER, endpoint: 'https://evil.example/take' }
    await world.skill('sg_weather', { config })
    const problem = problemIn(await run(world, ada, 'sg_weather'))
    expect(problem.code).toBe('secret_refused')
    expect(problem.detail).toContain('may not be sent to https://evil.example')
    expect(problem.detail).toContain(
      'the administrator of this gateway, confirms it by setting it again.',
    )
    expect(sent(world)).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    await setShared(world, 'shared-value', { skill: 'sg_weather' })
    successOf(await run(world, ada, 'sg_weather'))
  })

  test('for all official skills goes to no origin but those that were named', async () => {
    const { world, ada } = await worldWith(BEARER)
    await setShared(world, 'shared-value', { body: { origins: ['https://elsewhere.example'] } })
    expect(problemIn(await run(world, ada, 'sg_weather')).code).toBe('secret_refused')
    expect(sent(world)).toEqual([])
  })

  test('does not stand in for a secret of the user that must not be sent', async () => {
    const { world, ada } = await worldWith(BEARER)
    await setShared(world, 'shared-value', { skill: 'sg_weather' })
    const [stored] = await storedFor(world, 'ada-value')
    if (stored === undefined) throw new Error('it was not stored')
    await world.ports.secrets.put({ ...stored, uid: 'ada', binding: '{}' })
    expect(problemIn(await run(world, ada, 'sg_weather')).code).toBe('secret_refused')
    expect(sent(world)).toEqual([])
  })

  test('put in the place of a user’s, or the other way round, does not open', async () => {
    const { world, ada } = await worldWith(BEARER)
    const [own] = await storedFor(world, 'ada-value')
    await setShared(world, 'shared-value', { skill: 'sg_weather' })
    const asked = { uid: 'eve', skillId: 'sg_weather', names: ['API_KEY'], withShared: true }
    const [shared] = await world.ports.secrets.find(asked)
    if (own === undefined || shared === undefined) throw new Error('it was not stored')
    const binding = shared.binding ?? ''
    const { isShared: _isShared, ...value } = shared
    await world.ports.secrets.put({ ...value, uid: 'ada' })
    expect(problemIn(await run(world, ada, 'sg_weather')).code).toBe('secret_unreadable')
    await world.ports.secrets.remove({ uid: 'ada', skillId: 'sg_weather', name: 'API_KEY' })
    await world.ports.sharedSecrets.put({ ...own, binding, setBy: 'x' })
    const problem = problemIn(await run(world, ada, 'sg_weather'))
    expect(problem.code).toBe('secret_unreadable')
    expect(problem.detail).toContain('Ask the administrator of this gateway to set it again.')
    expect(sent(world)).toEqual([])
  })

  test('that is deleted while a call runs is sent by that call and by none after it', async () => {
    const { world, ada } = await worldWith(BEARER)
    await setShared(world, 'shared-value', { skill: 'sg_weather' })
    world.upstream.next({ kind: 'hang' })
    const running = execute(world, ada, 'sg_weather')
    await world.clock.settle()
    const place = { name: 'API_KEY', skill: 'sg_weather' }
    okOf(await deleteSharedSecret(world.ports, world.settings, place))
    await world.clock.advance(15_000)
    problemIn((await running).answer)
    expect(problemIn(await run(world, ada, 'sg_weather')).code).toBe('secret_missing')
    expect(sent(world)).toEqual(['Bearer shared-value'])
  })
})

/** A secret of ada for the skill, as it is stored. */
async function storedFor(world: World, value: string) {
  await setFor(world, 'ada', { API_KEY: value }, 'sg_weather')
  return world.ports.secrets.find({ uid: 'ada', skillId: 'sg_weather', names: ['API_KEY'] })
}

describe('a rotated secret', () => {
  const rotated = async (method = 'GET', keepPreviousSec = 60) => {
    const { world, ada } = await worldWith({ ...BEARER, method })
    await setShared(world, 'first-value', { skill: 'sg_weather' })
    await setShared(world, 'second-value', { skill: 'sg_weather', body: { keepPreviousSec } })
    return { world, ada }
  }

  test.each([401, 403])(
    'is tried first, and the value before it once more where the upstream answers %i',
    async (status) => {
      const { world, ada } = await rotated()
      world.upstream.next({ kind: 'answer', status, body: 'who is second-value?' })
      successOf(await run(world, ada, 'sg_weather'))
      expect(sent(world)).toEqual(['Bearer second-value', 'Bearer first-value'])
      expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
      successOf(await run(world, ada, 'sg_weather'))
      expect(sent(world)).toHaveLength(3)
      expect(world.log.notes.map(({ event }) => event)).toContain('previous-secret-tried')
    },
  )

  test('is masked with the value before it, and a second refusal is the answer', async () => {
    const { world, ada } = await rotated()
    world.upstream.next(
      { kind: 'answer', status: 401, body: 'no' },
      { kind: 'answer', status: 403, body: 'neither first-value nor second-value' },
    )
    const problem = problemIn(await run(world, ada, 'sg_weather'))
    expect(JSON.stringify(problem)).not.toMatch(/first-value|second-value/)
    expect(problem.detail).toContain('403')
    expect(world.upstream.requests).toHaveLength(2)
  })

  test.each([
    ['POST', 401],
    ['PATCH', 401],
    ['GET', 404],
    ['GET', 500],
  ])('is not sent a second time by %s after %i', async (method, status) => {
    const { world, ada } = await rotated(method)
    world.upstream.next({ kind: 'answer', status })
    problemIn(await run(world, ada, 'sg_weather'))
    expect(sent(world)).toEqual(['Bearer second-value'])
  })

  test('has no value before it once its time is over, or where none was kept', async () => {
    const { world, ada } = await rotated()
    await world.clock.advance(60_000)
    world.upstream.next({ kind: 'answer', status: 401 })
    problemIn(await run(world, ada, 'sg_weather'))
    expect(sent(world)).toEqual(['Bearer second-value'])
    const other = await rotated('GET', 0)
    other.world.upstream.next({ kind: 'answer', status: 401 })
    problemIn(await run(other.world, other.ada, 'sg_weather'))
    expect(sent(other.world)).toEqual(['Bearer second-value'])
  })

  test('does not bring the value before it to an origin that it was not set for', async () => {
    const { world, ada } = await rotated()
    const config = { ...BEARER, endpoint: 'https://new.example/' }
    await world.skill('sg_weather', { config })
    const body = { keepPreviousSec: 60 }
    await setShared(world, 'third-value', { skill: 'sg_weather', body })
    world.upstream.next({ kind: 'answer', status: 401 })
    problemIn(await run(world, ada, 'sg_weather'))
    expect(sent(world)).toEqual(['Bearer third-value'])
  })
})

describe('the day of the last use', () => {
  const dayIn = async (world: World) => {
    const { secrets } = okOf(await listSharedSecrets(world.ports, ALL))
    return secrets[0]?.lastUsedDayMs
  }
  const counted = (world: World) => {
    const { sharedSecrets } = world.ports
    const days: number[] = []
    world.ports.sharedSecrets = {
      ...sharedSecrets,
      noteUse: (use) => {
        days.push(use.day)
        return sharedSecrets.noteUse(use)
      },
    }
    return days
  }

  test('is written once a day, after the answer, for calls that failed at the upstream, too', async () => {
    const { world, ada } = await worldWith(BEARER)
    await setShared(world, 'shared-value', { skill: 'sg_weather' })
    const days = counted(world)
    world.upstream.next({ kind: 'answer', status: 500 })
    const { after } = await execute(world, ada, 'sg_weather')
    expect([days, await dayIn(world)]).toEqual([[], undefined])
    await runSteps(after)
    successOf(await run(world, ada, 'sg_weather'))
    const today = Math.floor(world.clock.nowMs() / 86_400_000)
    expect(days).toEqual([today])
    expect(await dayIn(world)).toBe(today * 86_400_000)
    world.clock.jump(86_400_000)
    successOf(await run(world, ada, 'sg_weather'))
    successOf(await run(world, ada, 'sg_weather'))
    expect(days).toEqual([today, today + 1])
  })

  test('is not written for a call that sent nothing, nor for secrets of the user', async () => {
    const { world, ada } = await worldWith(BEARER)
    await setShared(world, 'shared-value', { body: { origins: ['https://elsewhere.example'] } })
    const days = counted(world)
    problemIn(await run(world, ada, 'sg_weather'))
    await setFor(world, 'ada', { API_KEY: 'ada-value' })
    successOf(await run(world, ada, 'sg_weather'))
    expect(days).toEqual([])
  })

  test('that cannot be written harms no call, and is written by the next one', async () => {
    const { world, ada } = await worldWith(BEARER)
    await setShared(world, 'shared-value', { skill: 'sg_weather' })
    const { sharedSecrets } = world.ports
    world.ports.sharedSecrets = { ...sharedSecrets, noteUse: () => Promise.reject(new Error('no')) }
    successOf(await run(world, ada, 'sg_weather'))
    expect(await dayIn(world)).toBeUndefined()
    world.ports.sharedSecrets = sharedSecrets
    successOf(await run(world, ada, 'sg_weather'))
    expect(await dayIn(world)).toBeDefined()
  })
})
