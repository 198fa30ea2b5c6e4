/** Entries that an administrator pushes under names of their own, and the skills that they run. */

import { describe, expect, test } from 'vitest'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { runSteps } from '../../../../bench/lib/run-steps.ts'
import type { ExecuteBody } from '../../../../core/call/execute.ts'
import { executeSkill } from '../../../../core/flow/execute/execute-skill.ts'
import { syncToolList } from '../../../../core/flow/registry/sync-tool-list.ts'
import type { Json } from '../../../../core/json/json.ts'
import { makeWorld, okOf, refusalOf, type World } from '../world.ts'

function push(world: World, ...tools: Json[]) {
  return syncToolList(world.ports, world.settings, { mode: 'replace', tools })
}

function entry(name: string, more: { [field: string]: Json } = {}) {
  return { name, description: 'Does it.', inputSchema: { type: 'object' }, ...more }
}

async function execute(world: World, authorization: string, skill: ExecuteBody['skill']) {
  const departure = new AbortController().signal
  const { caches, ports, settings } = world
  const body = { skill, arguments: {} }
  const request = {
    credential: credentialOf(authorization),
    body,
    terms: undefined,
    idempotencyKey: undefined,
    gone: departure,
  }
  const executed = await executeSkill(ports, settings, caches, request)
  await runSteps(executed.after)
  return executed.answer
}

async function readyWorld() {
  const world = makeWorld()
  const ada = await world.user('ada', { credits: 10 })
  await world.skill('sg_sunny', { price: 2 })
  return { world, ada }
}

describe('a pushed entry with a skillId', () => {
  test.each(['sg_sunny', 'sunny'])(
    'a pushed entry runs its skill, named %s, at its price',
    async (skillId) => {
      const { ada, world } = await readyWorld()
      okOf(await push(world, entry('sg_forecast', { skillId })))
      for (const name of ['sg_forecast', 'forecast']) {
        expect(await execute(world, ada, name)).toMatchObject({
          kind: 'success',
          body: { skillId: 'sg_sunny', source: 'official', credits: { charged: 2 } },
        })
      }
      expect(world.log.calls.map(({ skillId: id }) => id)).toEqual(['sg_sunny', 'sg_sunny'])
      expect(await world.credits('ada')).toEqual({ free: 6, held: 0 })
    },
  )

  test('a pushed entry runs nothing once the list no longer has it', async () => {
    const { ada, world } = await readyWorld()
    okOf(await push(world, entry('sg_forecast', { skillId: 'sg_sunny' })))
    okOf(await push(world))
    expect(await execute(world, ada, 'sg_forecast')).toMatchObject({
      body: { code: 'unknown_skill' },
    })
  })

  test('a pushed entry of a skill that is not stored yet is listed, and its calls are unknown until it is', async () => {
    const { ada, world } = await readyWorld()
    okOf(await push(world, entry('sg_later', { skillId: 'sg_new' })))
    expect(await execute(world, ada, 'sg_later')).toMatchObject({ body: { code: 'unknown_skill' } })
    await world.skill('sg_new', { price: 1 })
    expect(await execute(world, ada, 'sg_later')).toMatchObject({ body: { skillId: 'sg_new' } })
  })

  test('a pushed entry does not take precedence over a private skill of that name', async () => {
    const { ada, world } = await readyWorld()
    await world.skill('sg_forecast', { source: 'private', uid: 'ada', price: 1 })
    okOf(await push(world, entry('sg_forecast', { skillId: 'sg_sunny' })))
    expect(await execute(world, ada, 'sg_forecast')).toMatchObject({
      body: { skillId: 'sg_forecast', source: 'private' },
    })
  })

  test.each(['official', 'market'] as const)(
    'a pushed entry with the id of another %s skill is refused',
    async (source) => {
      const { world } = await readyWorld()
      await world.skill('sg_taken', { source })
      const refusal = refusalOf(
        await push(world, entry('sg_sunny'), entry('sg_taken', { skillId: 'sg_sunny' })),
      )
      expect(refusal).toMatchObject({
        code: 'invalid_arguments',
        faults: [
          {
            pointer: '/tools/1/skillId',
            message: `must be sg_taken: a call by this name runs the ${source} skill of that id`,
          },
        ],
      })
      expect((await world.ports.toolsCache.read())?.tools).not.toContainEqual(
        expect.objectContaining({ name: 'sg_taken', skillId: 'sg_sunny' }),
      )
    },
  )
})

describe('a pushed entry with the name of a built-in tool', () => {
  test.each(['sg_account', 'account', 'sg_usage', 'sg_search_skills'])(
    'the name %s may promise neither a price nor a skill, since a call by it runs the built-in tool',
    async (name) => {
      const { world } = await readyWorld()
      const fields = [{ creditsPerCall: 1 }, { skillId: 'sg_fine' }]
      for (const more of fields) {
        const refusal = refusalOf(await push(world, entry('sg_fine'), entry(name, more)))
        expect(refusal).toMatchObject({
          code: 'invalid_arguments',
          faults: [{ pointer: `/tools/1/${Object.keys(more)[0]}` }],
        })
      }
    },
  )
})
