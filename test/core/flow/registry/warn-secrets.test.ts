/** Warnings of a sync about stored secrets that its skill would send to another origin. */
import { describe, expect, test } from 'vitest'
import { syncSkill } from '../../../../core/flow/registry/sync-skill.ts'
import { setSecret } from '../../../../core/flow/users/manage-secrets.ts'
import { makeWorld, okOf, type World } from '../world.ts'

const HERE = 'https://api.example/v1'
const MOVED = 'https://moved.example/v1'

async function worldOf(): Promise<World> {
  const world = makeWorld()
  await world.user('ada')
  return world
}

async function warningsOf(world: World, endpoint: string, uid?: string, secret = 'KEY') {
  const definition = {
    id: 'sg_a',
    source: uid === undefined ? 'official' : 'private',
    credits_per_call: 0,
    meta: { name: 'A', description: 'Answers.', parameters: { type: 'object' } },
    config: { endpoint, method: 'GET', auth: { type: 'bearer', secret } },
  }
  const text = JSON.stringify(definition)
  const request = { text, source: undefined, uid, list: 'now' } as const
  const synced = okOf(await syncSkill(world.ports, world.settings, request))
  return synced.warnings.filter((warning) => warning.startsWith('secrets:'))
}

async function set(world: World, skill?: string, origins: readonly string[] = []) {
  const place = { uid: 'ada', name: 'KEY', skill }
  okOf(await setSecret(world.ports, world.settings, place, { value: 'ada-value', origins }))
}

describe('a sync of a private skill', () => {
  test('names its one user, the owner, until the secret is set anew', async () => {
    const world = await worldOf()
    expect(await warningsOf(world, HERE, 'ada')).toEqual([])
    await set(world, 'sg_a')
    expect(await warningsOf(world, HERE, 'ada')).toEqual([])
    const warning =
      'secrets: KEY of 1 user, ada, was not set for https://moved.example. Calls are refused, with nothing sent and nothing charged, until the person who set it, or an administrator, sets it again.'
    expect(await warningsOf(world, MOVED, 'ada')).toEqual([warning])
    expect(await warningsOf(world, MOVED, 'ada')).toEqual([warning])
    await set(world, 'sg_a')
    expect(await warningsOf(world, MOVED, 'ada')).toEqual([])
  })

  test('warns of a secret for all skills only if that one names origins', async () => {
    const world = await worldOf()
    await set(world)
    expect(await warningsOf(world, HERE, 'ada')).toEqual([])
    expect(await warningsOf(world, MOVED, 'ada')).toEqual([])
    await set(world, undefined, ['https://api.example'])
    expect(await warningsOf(world, MOVED, 'ada')).toHaveLength(1)
  })
})

describe('a sync of a shared skill', () => {
  test('that moves it is stored, and says that users are not counted', async () => {
    const world = await worldOf()
    expect(await warningsOf(world, HERE)).toEqual([])
    expect(await warningsOf(world, MOVED)).toEqual([
      'secrets: KEY would now be sent to https://moved.example. Calls of every user who set one for https://api.example are refused, with nothing sent and nothing charged, until the person who set it, or an administrator, sets it again. Skillgate does not count these users, since secrets are stored by user.',
    ])
    const stored = await world.ports.skills.get({ source: 'official', skillId: 'sg_a' })
    expect(stored?.definition).toMatchObject({ config: { endpoint: MOVED } })
  })

  test('that moves it within its origin warns of nothing', async () => {
    const world = await worldOf()
    await warningsOf(world, HERE)
    expect(await warningsOf(world, 'https://api.example/v2')).toEqual([])
  })
})
