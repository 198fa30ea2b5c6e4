/** The function mcp makes calls in its own process, and ends no invocation before its call is settled. */
import { expect, test } from 'vitest'
import { createMcpDoor } from '../../../lambdas/mcp/door.ts'
import { makeWorld } from '../../core/flow/world.ts'
import { legacy, modern, opened, post, withKey } from './agent.ts'

const CALL = modern('tools/call', { name: 'sg_sunny', arguments: {} })

test('an invocation of the function mcp ends when the call it made is settled', async () => {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_sunny', { price: 2 })
  const out = await post(createMcpDoor(world.ports, world.settings), withKey(ada, CALL))
  expect(out.text).toContain('"isError":false')
  expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
})

test('an answer leaves the function mcp before its call is settled, and the invocation waits for a slow store', async () => {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_sunny', { price: 2 })
  const writing = Promise.withResolvers<void>()
  const { ledger } = world.ports
  const decide: typeof ledger.decide = async (outcome) => {
    await writing.promise
    return ledger.decide(outcome)
  }
  const ports = { ...world.ports, ledger: { ...ledger, decide } }
  const { done, out } = opened(createMcpDoor(ports, world.settings), withKey(ada, CALL))
  let hasEnded = false
  void done.then(() => {
    hasEnded = true
  })
  while (!out.writableFinished) await new Promise(setImmediate)
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
  expect(out.text).toContain('"isError":false')
  expect([hasEnded, await world.credits('ada')]).toEqual([false, { free: 98, held: 2 }])
  writing.resolve()
  await done
  expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
})

test('a call of a batch is settled while the calls after it run, and a sweep cannot make it free', async () => {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_sunny', { price: 2 })
  const call = (id: number) =>
    legacy('tools/call', { name: 'sg_sunny', arguments: {} }, { id }).body ?? null
  world.upstream.next({ kind: 'answer' })
  world.upstream.next({ kind: 'answer', afterMs: 10_000 })
  const headers = { 'mcp-protocol-version': '2025-03-26', authorization: ada }
  const body = [call(1), call(2)]
  const { done, out } = opened(createMcpDoor(world.ports, world.settings), { headers, body })
  await world.clock.advance(5_000)
  expect([out.text, await world.credits('ada')]).toEqual(['', { free: 96, held: 2 }])
  await world.clock.advance(5_000)
  await done
  expect(await world.credits('ada')).toEqual({ free: 96, held: 0 })
})
