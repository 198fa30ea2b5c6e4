/**
 * The message to an agent whose answer was lost: the call is called free only if that is certain.
 */
import { expect, test } from 'vitest'
import { makeToolListCache } from '../../../core/flow/tools/tool-list-cache.ts'
import { callsHere } from '../../../lambdas/call/answer-call.ts'
import { createMcpDoorOver } from '../../../lambdas/mcp/door.ts'
import { makeWorld } from '../../core/flow/world.ts'
import { legacy, opened, withKey } from './agent.ts'

const CALL = { name: 'sg_sunny', arguments: {} }

/** A call that succeeds and is settled; then the key may be revoked, and the answer is lost. */
async function lostAnswer(isRevoked: boolean) {
  const world = makeWorld()
  const { caches, ports, settings } = world
  const ada = await world.user('ada')
  await world.skill('sg_sunny', { price: 2 })
  const direct = callsHere({ ports, settings, caches, lists: makeToolListCache() })
  const execute: typeof direct = {
    ...direct,
    execute: async (...asked) => {
      await direct.execute(...asked)
      await ports.clock.sleep(100)
      const [record] = await ports.keys.list('ada')
      if (isRevoked && record !== undefined) await ports.keys.revoke(record)
      throw new Error('connection reset')
    },
  }
  const door = createMcpDoorOver({ ...ports, execute }, settings)
  const { done, out } = opened(door, withKey(ada, legacy('tools/call', CALL)))
  await world.clock.advance(5_000)
  await done
  const doubts = world.log.notes.filter(({ event }) => event === 'void-failed')
  return { credits: await world.credits('ada'), text: out.text, doubts: doubts.length }
}

test('a lost answer voids the call, and the message says that it is free', async () => {
  const { credits, doubts, text } = await lostAnswer(false)
  expect([credits, doubts]).toEqual([{ free: 100, held: 0 }, 0])
  expect(text).toContain('The call costs nothing')
})

test('a call whose key was revoked cannot be voided, and the message does not promise that it is free', async () => {
  const { credits, doubts, text } = await lostAnswer(true)
  expect([credits, doubts]).toEqual([{ free: 98, held: 0 }, 1])
  expect(text).toContain('not certain')
  expect(text).not.toContain('The call costs nothing')
})
