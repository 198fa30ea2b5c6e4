/**
 * Names of private tools over both stores: whatever users and skills are called, each tool of a list has
 * a name that clients take, no two have the same, and a call of it runs its own skill.
 */
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { dynamoStorePorts } from '../../../../adapters/dynamodb/store-ports.ts'
import { isUsername } from '../../../../core/access/user-names.ts'
import { deleteSkill } from '../../../../core/flow/registry/manage-skills.ts'
import { changeUser } from '../../../../core/flow/registry/rename-tools.ts'
import { syncSkill } from '../../../../core/flow/registry/sync-skill.ts'
import { readMergedTools } from '../../../../core/flow/tools/merge-tool-layers.ts'
import { makeToolListCache } from '../../../../core/flow/tools/tool-list-cache.ts'
import type { SkillRecord } from '../../../../core/skills/skill.ts'
import { cutUsername, enforcePrefix, resemblesShared } from '../../../../core/skills/tool-name.ts'
import { resolve } from '../../../../core/skills/visible.ts'
import { useEmbeddedStore } from '../../../adapters/dynamodb/embedded-store.ts'
import { freshName } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { makeWorld, okOf, skillJson, type World } from '../world.ts'

/**
 * Few characters, most of which become `_`; and ids that share a longer beginning than a tool name has
 * characters.
 */
const id = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '_', '..', ':', 'é', '😀'), minLength: 1, maxLength: 5 }),
  fc
    .tuple(fc.integer({ min: 50, max: 195 }), fc.constantFrom('', 'a', '..', ':'))
    .map(([length, end]) => 'x'.repeat(length) + end),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  fc.constantFrom('sg_a', 'sg_sg_a', 'account', 'ada_sg_a'),
)
const username = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  fc.constantFrom('ada', 'sg', 'sg_a', '你好', '😀', 'a'.repeat(40), '_', '-'),
)

/** A name that a user may be given today; `sg` is one of an earlier build. */
function isGiven(name: string): boolean {
  return isUsername(name) && !resemblesShared('sg', name)
}

/** Undefined for an id that no skill may have. */
async function sync(world: World, uid: string, skillId: string): Promise<string | undefined> {
  const text = JSON.stringify(skillJson(skillId, { source: 'private' }))
  const request = { text, source: undefined, uid, list: 'now' } as const
  const synced = await syncSkill(world.ports, world.settings, request)
  if (synced.ok) return synced.value.toolName
  expect(synced.error.code).toBe('invalid_skill')
  return undefined
}

/** As a call finds it; `keyName` is the user's name when the key was issued. */
async function resolved(
  world: World,
  caller: { uid: string; keyName: string },
  name: string,
): Promise<SkillRecord | undefined> {
  const { candidates } = await world.ports.callLookup.read({
    uid: caller.uid,
    name,
    skillId: enforcePrefix('sg', name),
    cut: cutUsername(caller.keyName, name),
  })
  return resolve(candidates)
}

async function ownTools(world: World, uid: string) {
  const principal = { uid, keyHash: 'k', username: '' }
  const tools = await readMergedTools(world.ports, world.settings, makeToolListCache(), principal)
  return tools.filter(({ annotations }) => annotations?.openWorldHint === true)
}

async function newUser(world: World, name: string): Promise<string> {
  const uid = freshName('u-')
  await world.ports.profiles.create({
    uid,
    username: name,
    tier: 'free',
    credits: 0,
    holds: {},
    createdAtMs: world.clock.nowMs(),
    skillsChangedAtMs: 0,
  })
  return uid
}

/** Every tool of the list: a name that clients take, used once, that runs the skill it says. */
async function expectOwnNames(world: World, caller: { uid: string; keyName: string }) {
  const tools = await ownTools(world, caller.uid)
  expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
  for (const { name, skillId } of tools) {
    expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect((await resolved(world, caller, name))?.skillId).toBe(skillId)
  }
  return tools
}

function describeNames(store: string, makeNamed: () => Promise<World>, numRuns: number): void {
  describe(`names of private tools, ${store}`, () => {
    let world: World
    beforeAll(async () => {
      world = await makeNamed()
    })

    // Holds: LIST-6, LIST-8
    test('names of private tools are valid, distinct, and mean their own skill, whatever they are made of', async () => {
      const property = fc.asyncProperty(
        username,
        fc.uniqueArray(id, {
          minLength: 1,
          maxLength: 8,
          selector: (one) => enforcePrefix('sg', one),
        }),
        async (keyName, ids) => {
          fc.pre(isUsername(keyName))
          const uid = await newUser(world, keyName)
          const names = await Promise.all(ids.map((one) => sync(world, uid, one)))
          const stored = names.filter((name) => name !== undefined)
          const tools = await expectOwnNames(world, { uid, keyName })
          expect(tools).toHaveLength(stored.length)
          // By its id, too, unless that is the very name of another.
          const taken = new Set(tools.map(({ name }) => name))
          for (const { skillId = '' } of tools) {
            if (taken.has(skillId)) continue
            expect((await resolved(world, { uid, keyName: '' }, skillId))?.skillId).toBe(skillId)
          }
        },
      )
      await fc.assert(property, { numRuns })
    })

    test('names of private tools keep their meaning when the user is renamed, whatever is synced then', async () => {
      const property = fc.asyncProperty(
        fc.tuple(username, username),
        fc.uniqueArray(id, {
          minLength: 1,
          maxLength: 5,
          selector: (one) => enforcePrefix('sg', one),
        }),
        fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
        async ([keyName, newName], ids, again) => {
          fc.pre([isUsername(keyName), isGiven(newName)].every(Boolean))
          const uid = await newUser(world, keyName)
          for (const one of ids) await sync(world, uid, one)
          const before = await ownTools(world, uid)
          okOf(await changeUser(world.ports, world.settings, uid, { username: newName }))
          expect(await ownTools(world, uid)).toHaveLength(before.length)
          for (const one of ids.filter((_, at) => again[at] === true)) await sync(world, uid, one)
          const after = await expectOwnNames(world, { uid, keyName })
          expect(after).toHaveLength(before.length)
          for (const { name, skillId } of before) {
            expect((await resolved(world, { uid, keyName }, name))?.skillId).toBe(skillId)
            expect((await resolved(world, { uid, keyName: newName }, name))?.skillId).toBe(skillId)
          }
        },
      )
      await fc.assert(property, { numRuns })
    })

    test('a user named like the prefix never gets the name of a built-in tool', async () => {
      const uid = await newUser(world, 'sg')
      await sync(world, uid, 'sg_account_')
      await sync(world, uid, 'search_skills2')
      await expectOwnNames(world, { uid, keyName: 'sg' })
    })

    test('the name of a deleted skill is not given to another one', async () => {
      const uid = await newUser(world, 'ada')
      const first = await sync(world, uid, 'sg_a.b')
      const place = { source: 'private', skillId: 'sg_a.b', uid }
      okOf(await deleteSkill(world.ports, world.settings, place))
      expect(await sync(world, uid, 'sg_a:b')).not.toBe(first)
      expect(await resolved(world, { uid, keyName: 'ada' }, first ?? '')).toBeUndefined()
      expect(await sync(world, uid, 'sg_a.b')).toBe(first)
    })

    test('an id that looks like the hashed name of another gets a name as well', async () => {
      const uid = await newUser(world, 'ada')
      const long = `sg_${'x'.repeat(100)}`
      const hash = world.ports.digests.sha256(long).slice(0, 8)
      const twin = `sg_${'x'.repeat(48)}_${hash}`
      const names = [await sync(world, uid, twin), await sync(world, uid, long)]
      expect(names[0]).toBe(`ada_${twin}`)
      expect(names[1]).toHaveLength(64)
      await expectOwnNames(world, { uid, keyName: 'ada' })
    })
  })
}

describeNames('memory', async () => makeWorld(), 150)

const { store } = await useEmbeddedStore(testClock())

describeNames(
  'embedded store',
  async () => {
    const world = makeWorld()
    Object.assign(world.ports, dynamoStorePorts(store))
    return world
  },
  12,
)
