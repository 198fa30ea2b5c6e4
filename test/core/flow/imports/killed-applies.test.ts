/**
 * Applies of a document and of a set that die before or after any request to the store: agents see the old list or the
 * new one, and the same request sent again ends where one that never died does.
 */
import { describe, expect, test } from 'vitest'
import { Fault } from '../../../../core/errors.ts'
import { applyImport } from '../../../../core/flow/imports/apply-import.ts'
import { applySet } from '../../../../core/flow/imports/apply-set.ts'
import { changeSkill } from '../../../../core/flow/registry/change-skill.ts'
import { makeWorld, okOf, type World } from '../world.ts'
import { asked, petstore, SHOW } from './petstore.ts'
import { setOf, skillsAt } from './skill-set.ts'

type Ports = World['ports']
type Case = {
  readonly name: string
  prepare(world: World): Promise<unknown>
  run(
    ports: Ports,
    world: World,
  ): Promise<{ ok: true; value: unknown } | { ok: false; error: { detail: string } }>
}

const SMALLER = setOf(skillsAt(2, 'sg_b', 'sg_c'), { prune: true })
const PLACE = { source: 'official', skillId: 'sg_a' }

const CASES: readonly Case[] = [
  {
    name: 'an import that changes, disables and deletes skills',
    prepare: async (world) => {
      const first = asked(petstore())
      okOf(await applyImport(world.ports, world.settings, first))
      const gone = asked(petstore({ '/pets/{petId}': { get: SHOW } }), { allowBreaking: true })
      okOf(await applyImport(world.ports, world.settings, gone))
    },
    run: (ports, { settings }) => {
      const changed = { ...SHOW, summary: 'Show one pet' }
      const paths = { '/pets/{petId}': { get: changed }, '/new': { get: { operationId: 'new' } } }
      const more = { allowBreaking: true, deleteDisabled: true }
      return applyImport(ports, settings, asked(petstore(paths), more))
    },
  },
  {
    name: 'a set that adds, changes and prunes skills',
    prepare: async (world) => {
      okOf(await applySet(world.ports, world.settings, setOf(skillsAt(1, 'sg_a', 'sg_b'))))
    },
    run: (ports, { settings }) => applySet(ports, settings, SMALLER),
  },
  {
    name: 'a change of price and groups',
    prepare: (world) => world.skill('sg_a'),
    run: (ports, { settings }) =>
      changeSkill(ports, settings, PLACE, { credits: 3, groups: ['ops'], expectedVersion: 1 }),
  },
]

describe.each(CASES)('$name', ({ prepare, run }) => {
  test('the same request completes it, wherever it died', async () => {
    const whole = makeWorld()
    await prepare(whole)
    const before = await listed(whole)
    okOf(await run(whole.ports, whole))
    const after = await shown(whole)
    let deaths = 0
    for (const when of ['before', 'after'] as const) {
      for (let nth = 1; nth <= REQUESTS_MAX; nth += 1) {
        const world = makeWorld()
        await prepare(world)
        world.clock.jump(1_000)
        const died = await run(dyingAt(world.ports, nth, when), world).then(
          () => false,
          () => true,
        )
        if (!died) break
        deaths += 1
        expect([before, await listed(whole)]).toContainEqual(await listed(world))
        world.clock.jump(1_000)
        okOf(await run(world.ports, world))
        expect(await shown(world)).toEqual(after)
      }
    }
    expect(deaths).toBeGreaterThan(8)
  })
})

/** More requests than any of these makes to its store. */
const REQUESTS_MAX = 60

async function listed(world: World) {
  return (await world.ports.toolsCache.read())?.tools
}

/** Definitions, numbers of versions, and the list. */
async function shown(world: World) {
  const { records } = await world.ports.skills.list({ source: 'official', limit: 100 })
  const skills = records.map(({ definition, skillId, version }) => [skillId, version, definition])
  return { skills, list: await listed(world) }
}

function dyingAt(ports: Ports, nth: number, when: 'after' | 'before'): Ports {
  let asked = 0
  const names = ['skills', 'skillVersions', 'toolListVersion', 'toolsCache'] as const
  const dying = names.map((name) => {
    const port: object = ports[name]
    const methods = Object.entries(port).map(([method, work]) => [
      method,
      async (...given: readonly unknown[]) => {
        asked += 1
        // A dead process makes no further request.
        if (asked > nth || (asked === nth && when === 'before')) throw KILLED
        const answer: unknown = await Reflect.apply(work, port, given)
        if (asked >= nth) throw KILLED
        return answer
      },
    ])
    return [name, Object.fromEntries(methods)]
  })
  return { ...ports, ...Object.fromEntries(dying) }
}

const KILLED = new Fault('store_unavailable', 'killed')
