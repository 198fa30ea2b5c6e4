/**
 * Nobody but the owner learns of a private skill: at every door, by every name, from the answers, and from
 * the requests to the store, which are all that its timing could show.
 */

import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dynamoStorePorts } from '../../../../adapters/dynamodb/store-ports.ts'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { openCallScope } from '../../../../core/flow/access/call-scope.ts'
import { callTool } from '../../../../core/flow/tools/call-tool.ts'
import { readMergedTools } from '../../../../core/flow/tools/merge-tool-layers.ts'
import { makeToolListCache } from '../../../../core/flow/tools/tool-list-cache.ts'
import { useEmbeddedStore } from '../../../adapters/dynamodb/embedded-store.ts'
import { requestKeys } from '../../../contracts/request-keys.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { listWith } from '../built-in.ts'
import { execute } from '../caller.ts'
import { makeWorld } from '../world.ts'

/** Requests to the store, with their keys; a key that holds a name that was asked for is `…`. */
const seen: string[] = []
const { store, watch } = await useEmbeddedStore(testClock())
const world = makeWorld()
let bob: string

beforeAll(async () => {
  Object.assign(world.ports, dynamoStorePorts(store))
  await world.user('ada')
  bob = await world.user('bob', { tier: 'pro' })
  await world.skill('sg_mine', { source: 'private', uid: 'ada' })
  await world.skill('sg_a.b', { source: 'private', uid: 'ada' })
  await world.skill('sg_other', { source: 'private', uid: 'bob' })
  watch(({ input, operation }) => {
    for (const { action, keys } of requestKeys(operation, input)) {
      seen.push(`${action} ${keys.join(' ')}`)
    }
  })
})
beforeEach(() => {
  seen.length = 0
})

/** Requests to the store and answers when bob calls `name`, with the name itself left out. */
async function callBy(name: string, how: 'execute' | 'tool') {
  seen.length = 0
  const answer = how === 'execute' ? await executed(name) : await toolCalled(name)
  const text = JSON.stringify(answer).replaceAll(name, '…')
  return { told: text, asked: [...seen].sort() }
}

async function executed(name: string) {
  const { answer } = await execute(world, bob, name)
  const { callId: _callId, ...body } = { callId: '', ...answer.body }
  return { kind: answer.kind, body }
}

function toolCalled(name: string) {
  return callTool(world.ports, world.settings, {
    scope: openCallScope(world.ports),
    name,
    arguments: {},
    credential: credentialOf(bob),
    ownerOf: async () => 'bob',
    callId: `c-${name}`,
    door: 'mcp',
    deadlineMs: world.clock.nowMs() + 15_000,
    lists: makeToolListCache(),
  })
}

describe('the private skill of another user', () => {
  const NAMES: readonly (readonly [string, string, string])[] = [
    ['its tool name', 'ada_sg_mine', 'ada_sg_none'],
    ['its id', 'sg_mine', 'sg_none'],
    ['its id without the prefix', 'mine', 'none'],
    ['a name of one’s own that is cut to its id', 'bob_sg_mine', 'bob_sg_none'],
    ['its id in safe characters', 'sg_a_b', 'sg_a_c'],
    ['its key in the store', 'skill:private:ada:sg_mine', 'skill:private:ada:sg_none'],
  ]

  describe.each(['execute', 'tool'] as const)('a call through %s', (how) => {
    test.each(NAMES)(
      'a call by %s gets the answer for a skill that does not exist',
      async (_what, theirs, nobodys) => {
        // From here on the key is cached, and so is the absence of shared skills of these names.
        await callBy('sg_warm', how)
        const [one, other] = [await callBy(theirs, how), await callBy(nobodys, how)]
        expect(one).toEqual(other)
        expect(one.told).toMatch(/unknown_skill|Unknown tool/)
        expect(one.asked.length).toBeGreaterThan(0)
        expect(one.asked.join()).not.toContain('ada')
      },
    )
  })

  test('a list shows no private skill of another user and reads no record of that user', async () => {
    const lister = { uid: 'bob', keyHash: 'k', username: 'bob' }
    const tools = await readMergedTools(world.ports, world.settings, makeToolListCache(), lister)
    expect(tools.map(({ name }) => name)).toEqual(listWith('bob_sg_other'))
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.join()).not.toContain('ada')
  })

  test('the cached list of one user shows nothing to the next', async () => {
    const lists = makeToolListCache()
    const namesFor = async (uid: string) => {
      const lister = { uid, keyHash: 'k', username: uid, skillsChangedAtMs: 7 }
      const tools = await readMergedTools(world.ports, world.settings, lists, lister)
      return tools.map(({ name }) => name).filter((name) => !name.startsWith('sg_'))
    }
    expect(await namesFor('ada')).toEqual(['ada_sg_a_b', 'ada_sg_mine'])
    expect(await namesFor('bob')).toEqual(['bob_sg_other'])
    expect(await namesFor('ada')).toEqual(['ada_sg_a_b', 'ada_sg_mine'])
  })
})
