/** The tools of a user's private skills are renamed with the user. */

import { beforeEach, describe, expect, test } from 'vitest'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { runSteps } from '../../../../bench/lib/run-steps.ts'
import { Fault } from '../../../../core/errors.ts'
import { executeSkill } from '../../../../core/flow/execute/execute-skill.ts'
import { changeUser } from '../../../../core/flow/registry/rename-tools.ts'
import { readMergedTools } from '../../../../core/flow/tools/merge-tool-layers.ts'
import { makeToolListCache } from '../../../../core/flow/tools/tool-list-cache.ts'
import { makeWorld, okOf, type World } from '../world.ts'

let world: World
let ada: string

beforeEach(async () => {
  world = makeWorld()
  ada = await world.user('ada', { credits: 10 })
  await world.skill('sg_one', { source: 'private', uid: 'ada' })
  await world.skill('sg_two', { source: 'private', uid: 'ada' })
})

const lists = makeToolListCache()

async function ownNames(uid = 'ada'): Promise<readonly string[]> {
  const { skillsChangedAtMs } = await world.profile(uid)
  const lister = { uid, keyHash: 'k', username: 'as the key has it', skillsChangedAtMs }
  const tools = await readMergedTools(world.ports, world.settings, lists, lister)
  return tools.map(({ name }) => name).filter((name) => !name.startsWith('sg_'))
}

function rename(username: string) {
  return changeUser(world.ports, world.settings, 'ada', { username })
}

async function call(skill: string) {
  const { caches, ports, settings } = world
  const departure = new AbortController().signal
  const body = { skill, arguments: {} }
  const request = {
    credential: credentialOf(ada),
    body,
    terms: undefined,
    idempotencyKey: undefined,
    gone: departure,
  }
  const executed = await executeSkill(ports, settings, caches, request)
  await runSteps(executed.after)
  return executed.answer
}

describe('a user who is renamed', () => {
  test('the tools of a renamed user have the new name in the next list, and both names can be called', async () => {
    expect(await ownNames()).toEqual(['ada_sg_one', 'ada_sg_two'])
    await world.clock.advance(1)
    okOf(await rename('Countess L.'))
    expect(await ownNames()).toEqual(['Countess_L__sg_one', 'Countess_L__sg_two'])
    for (const name of ['Countess_L__sg_one', 'ada_sg_one', 'sg_one']) {
      expect(await call(name)).toMatchObject({ kind: 'success', body: { skillId: 'sg_one' } })
    }
  })

  test('a change of the tier alone writes no skill', async () => {
    world.ports.skills.put = () => Promise.reject(new Error('not here'))
    okOf(await changeUser(world.ports, world.settings, 'ada', { tier: 'pro' }))
    expect(await ownNames()).toEqual(['ada_sg_one', 'ada_sg_two'])
  })

  test('a renamed tool gets a hash where another skill of the user holds its name', async () => {
    await world.skill('sg_a.b', { source: 'private', uid: 'ada' })
    await world.skill('sg_a:b', { source: 'private', uid: 'ada' })
    okOf(await rename('eve'))
    const names = await ownNames()
    expect(names).toHaveLength(4)
    expect(names).toContain('eve_sg_a_b')
    expect(names.filter((name) => /^eve_sg_a_b_.{8}$/.test(name))).toHaveLength(1)
  })

  test('more skills than one page holds are all renamed', async () => {
    for (let n = 0; n < 251; n += 1) {
      await world.skill(`sg_n${n}`, { source: 'private', uid: 'ada' })
    }
    okOf(await rename('eve'))
    const names = await ownNames()
    expect(names).toHaveLength(253)
    expect(names.filter((name) => !name.startsWith('eve_sg_'))).toEqual([])
  })

  test('a renaming that a failure of the store interrupts is finished by the same request', async () => {
    const { put } = world.ports.skills
    let puts = 0
    world.ports.skills.put = (...to) => {
      puts += 1
      return puts === 2 ? Promise.reject(new Fault('store_unavailable', 'away')) : put(...to)
    }
    await expect(rename('eve')).rejects.toBeInstanceOf(Fault)
    await world.clock.advance(1)
    okOf(await rename('eve'))
    expect(await ownNames()).toEqual(['eve_sg_one', 'eve_sg_two'])
  })

  test('a skill that is synced at the same time gets the new name', async () => {
    const { put } = world.ports.skills
    world.ports.skills.put = async (...to) => {
      world.ports.skills.put = put
      okOf(await rename('eve'))
      await world.clock.advance(1)
      return put(...to)
    }
    await world.skill('sg_three', { source: 'private', uid: 'ada' })
    expect(await ownNames()).toEqual(['eve_sg_one', 'eve_sg_three', 'eve_sg_two'])
  })

  test('a skill that is deleted at the same time stays deleted', async () => {
    const { put, remove } = world.ports.skills
    world.ports.skills.put = async (record, ifVersion) => {
      world.ports.skills.put = put
      await remove({ source: 'private', skillId: record.skillId, uid: 'ada' }, ifVersion)
      return put(record, ifVersion)
    }
    okOf(await rename('eve'))
    expect(await ownNames()).toEqual(['eve_sg_two'])
  })

  test('an unknown user is not found', async () => {
    const changed = await changeUser(world.ports, world.settings, 'bob', { username: 'eve' })
    expect(changed).toMatchObject({ ok: false, error: { code: 'not_found' } })
  })
})
