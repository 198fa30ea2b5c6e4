/** A secret goes to the tier and the origins that it was set for, and nowhere else. */
import { describe, expect, test } from 'vitest'
import { setSecret } from '../../../../core/flow/users/manage-secrets.ts'
import type { Json } from '../../../../core/json/json.ts'
import { problemIn, run, successOf } from '../caller.ts'
import { makeWorld, okOf, type SkillMore, type World } from '../world.ts'
import { BEARER } from './calls-with-secrets.ts'

const VALUE = 'ada-key-value'
const HERE = 'https://api.example'
const MOVED = { config: { ...BEARER, endpoint: 'https://evil.example/take' } }

async function worldOf(more: SkillMore = {}): Promise<{ world: World; ada: string }> {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_vault', { config: BEARER, ...more })
  return { world, ada }
}

async function set(world: World, body: { readonly [field: string]: Json }, skill?: string) {
  const place = { uid: 'ada', name: 'API_KEY', skill }
  return okOf(await setSecret(world.ports, world.settings, place, { value: VALUE, ...body }))
}

/** The call fails with `detail`, nothing has left, and the credit is back. */
async function expectRefused(world: World, ada: string, detail: RegExp) {
  const before = await world.credits('ada')
  const problem = problemIn(await run(world, ada, 'sg_vault'))
  expect([problem.code, problem.status]).toEqual(['secret_refused', 403])
  expect(problem.detail).toMatch(detail)
  expect(JSON.stringify(problem)).not.toContain(VALUE)
  expect(world.upstream.requests).toEqual([])
  expect(await world.credits('ada')).toEqual(before)
}

describe('a secret of one skill', () => {
  test('goes to the origin that the skill had when it was set', async () => {
    const { world, ada } = await worldOf()
    await set(world, {}, 'sg_vault')
    expect(successOf(await run(world, ada, 'sg_vault'))).toBeDefined()
    expect(world.upstream.requests).toHaveLength(1)
  })

  test('does not go to a market skill that took the id of a deleted official one', async () => {
    const { world, ada } = await worldOf()
    await set(world, {}, 'sg_vault')
    await world.ports.skills.remove({ source: 'official', skillId: 'sg_vault' }, 1)
    await world.skill('sg_vault', { config: BEARER, source: 'market' })
    await expectRefused(
      world,
      ada,
      /^secret API_KEY: was set for the official skill sg_vault, and this one is market\. .*administrator/,
    )
  })

  test('does not follow the skill to a new origin, and the failure says who must confirm', async () => {
    const { world, ada } = await worldOf()
    await set(world, {}, 'sg_vault')
    await world.skill('sg_vault', MOVED)
    await expectRefused(
      world,
      ada,
      /^secret API_KEY: may not be sent to https:\/\/evil\.example, where this skill sends it\. .*The person who set it, or the administrator of this gateway, confirms it by setting it again\.$/,
    )
    await set(world, {}, 'sg_vault')
    expect(successOf(await run(world, ada, 'sg_vault'))).toBeDefined()
  })

  test('goes to further origins that were named when it was set', async () => {
    const { world, ada } = await worldOf()
    await set(world, { origins: ['https://evil.example'] }, 'sg_vault')
    await world.skill('sg_vault', MOVED)
    expect(successOf(await run(world, ada, 'sg_vault'))).toBeDefined()
  })
})

describe('a secret for all skills', () => {
  test.each(['official', 'private'] as const)(
    'a global secret goes to skills of the tier %s',
    async (source) => {
      const { world, ada } = await worldOf({
        source,
        ...(source === 'private' ? { uid: 'ada' } : {}),
      })
      await set(world, {})
      const name = source === 'private' ? 'ada_sg_vault' : 'sg_vault'
      expect(successOf(await run(world, ada, name))).toBeDefined()
    },
  )

  test('does not go to a market skill', async () => {
    const { world, ada } = await worldOf({ source: 'market' })
    await set(world, {})
    await expectRefused(
      world,
      ada,
      /^secret API_KEY: .*market skill.*by setting it for this skill\.$/,
    )
    await set(world, { origins: [HERE] })
    await expectRefused(
      world,
      ada,
      /^secret API_KEY: .*market skill.*by setting it for this skill\.$/,
    )
  })

  test('goes to a market skill that the user opted in for, at the origins that were named', async () => {
    const { world, ada } = await worldOf({ source: 'market' })
    await set(world, { origins: [HERE], marketSkills: ['sg_vault'] })
    expect(successOf(await run(world, ada, 'sg_vault'))).toBeDefined()
    world.upstream.requests.length = 0
    await world.skill('sg_vault', { ...MOVED, source: 'market' })
    await expectRefused(world, ada, /may not be sent to https:\/\/evil\.example/)
  })

  test('that was set for named origins goes to no other', async () => {
    const { world, ada } = await worldOf()
    await set(world, { origins: ['https://elsewhere.example'] })
    await expectRefused(world, ada, /may not be sent to https:\/\/api\.example/)
  })
})

async function stored({ ports }: World) {
  const which = { uid: 'ada', skillId: 'sg_vault', names: ['API_KEY'] }
  const [secret] = await ports.secrets.find(which)
  if (secret === undefined) throw new Error('it was not stored')
  return secret
}

describe('a stored secret', () => {
  test('whose binding cannot be read is refused until it is set again', async () => {
    const { world, ada } = await worldOf()
    await set(world, {}, 'sg_vault')
    const old = await stored(world)
    await world.ports.secrets.put({ ...old, uid: 'ada', binding: '{}' })
    await expectRefused(
      world,
      ada,
      /^secret API_KEY: has a binding .* cannot read.*setting it again/,
    )
  })

  test('whose binding was changed in the store does not open', async () => {
    const { world, ada } = await worldOf()
    await set(world, {}, 'sg_vault')
    const old = await stored(world)
    const binding = old.binding.replace('api.example', 'evil.example')
    expect(binding).not.toBe(old.binding)
    await world.ports.secrets.put({ ...old, uid: 'ada', binding })
    await world.skill('sg_vault', MOVED)
    expect(problemIn(await run(world, ada, 'sg_vault')).code).toBe('secret_unreadable')
    expect(world.upstream.requests).toEqual([])
  })
})
