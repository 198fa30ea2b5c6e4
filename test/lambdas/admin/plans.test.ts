/** Plans as the door makes them, in threads: hostile ones are answered, and all are in the audit trail. */
import { Worker } from 'node:worker_threads'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Fault } from '../../../core/errors.ts'
import { PLAN_CPU_CHECK_MS } from '../../../lambdas/admin/plans/plan-limits.ts'
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
    expect(answer.json['detail']).toContain('takes over 60 s to plan')
  })

  test('a plan may compute for 7 s of its thread, however long the thread computed before', async () => {
    const list = (query: ListQuery) => listLater(world, query)
    const ports = { ...world.ports, skills: { ...world.ports.skills, list } }
    const ask = () => askAdmin({ ...world, ports }, 'POST', '/imports/openapi:plan', { body: PETS })
    const cpuUsage = vi.spyOn(Worker.prototype, 'cpuUsage')
    onTestFinished(() => cpuUsage.mockRestore())
    const spend = (ms: number) => cpuUsage.mockResolvedValue({ user: ms * 1_000 - 1, system: 1 })
    cpuUsage.mockResolvedValueOnce({ user: 90_000_000, system: 0 })
    spend(97_000)
    expect((await ask()).status).toBe(200)
    cpuUsage.mockResolvedValueOnce({ user: 90_000_000, system: 0 })
    spend(97_001)
    const answer = await ask()
    expect(answer.status).toBe(413)
    expect(answer.json['detail']).toContain('takes over 7 s of computing to plan')
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

type ListQuery = Parameters<World['ports']['skills']['list']>[0]

/** The store answers when the processor time of the thread has been read. */
async function listLater({ clock, ports }: World, query: ListQuery) {
  await clock.advance(PLAN_CPU_CHECK_MS)
  return ports.skills.list(query)
}

/** The store's answer never comes; the time of the plan passes meanwhile. */
async function stopped({ clock }: World): Promise<never> {
  await clock.advance(60_000)
  return new Promise(() => {})
}
