/** Plans as the door makes them, in threads: hostile ones are answered, and all are in the audit trail. */
import { beforeEach, describe, expect, test } from 'vitest'
import { Fault } from '../../../core/errors.ts'
import { HOSTILE_PLANS } from '../../attack/hostile-plans.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { askAdmin } from './admin-client.ts'

let world: World
beforeEach(() => {
  world = makeWorld()
})

const PETS = {
  prefix: 'pets',
  defaults: { credits: 1 },
  document: {
    openapi: '3.1.0',
    servers: [{ url: 'https://pets.example' }],
    paths: { '/pets': { get: { operationId: 'listPets' } } },
  },
}

test('a hostile plan leaves the next one as it would be without it', async () => {
  const ask = () => askAdmin(world, 'POST', '/imports/openapi:plan', { body: PETS })
  const before = await ask()
  const [hostile] = HOSTILE_PLANS.filter(({ name }) => name === 'many-globs')
  await askAdmin(world, 'POST', '/imports/openapi:plan', { body: hostile?.make().body ?? '' })
  expect((await ask()).json).toEqual(before.json)
  expect(before.json).toMatchObject({ added: [{ skillId: 'sg_pets_listPets' }] })
})

describe('plans', () => {
  test.each([
    ['planImport', '/imports/openapi:plan', PETS],
    ['checkImport', '/imports/openapi:check', PETS],
    ['planSkills', '/skills:plan', []],
  ] as const)('the plan %s is in the audit trail', async (operation, path, body) => {
    await askAdmin(world, 'POST', path, { body })
    const { json } = await askAdmin(world, 'GET', '/audit', { query: `operation=${operation}` })
    expect(json['changes']).toHaveLength(1)
  })

  test('a plan of a store that fails is answered as any request is then', async () => {
    const failing = async () => {
      throw new Fault('store_unavailable', 'no store')
    }
    const ports = { ...world.ports, skills: { ...world.ports.skills, list: failing } }
    const answer = await askAdmin({ ...world, ports }, 'POST', '/imports/openapi:plan', {
      body: PETS,
    })
    expect(answer.status).toBe(503)
  })

  test('a plan that is stopped by its time limit is refused, and says how long it may take', async () => {
    const ports = { ...world.ports, skills: { ...world.ports.skills, list: () => stopped(world) } }
    const answer = await askAdmin({ ...world, ports }, 'POST', '/imports/openapi:plan', {
      body: PETS,
    })
    expect(answer.status).toBe(413)
    expect(answer.json['detail']).toContain('takes over 15 s to plan')
  })

  test('a plan that takes more memory than a thread has is refused, and the process goes on', async () => {
    // A list of objects without a member takes twenty times its text.
    const text = `{"openapi":"3.1.0","paths":{},"x":[${'{},'.repeat(1_300_000)}{}]}`
    const body = { prefix: 'p', document: text, overlay: DEEP }
    const answer = await askAdmin(world, 'POST', '/imports/openapi:plan', { body })
    expect(answer.json['detail']).toContain('takes over 256 MB of memory to plan')
    const next = await askAdmin(world, 'POST', '/imports/openapi:plan', { body: PETS })
    expect(next.status).toBe(200)
  })
})

const DEEP = { overlay: '1.0.0', actions: [{ target: '$..none', update: {} }] }

/** The store's answer never comes; the time of the plan passes meanwhile. */
async function stopped({ clock }: World): Promise<never> {
  await clock.advance(15_000)
  return new Promise(() => {})
}
