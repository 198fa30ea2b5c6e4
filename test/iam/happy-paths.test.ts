/**
 * The suite that every host passes, with each function under its own role and every request to a service judged
 * by the synthesized policies; replies come through the partition of their session.
 */
import { afterAll, expect, test } from 'vitest'
import { getStage } from '../../lib/stages.ts'
import { describeHappyPaths } from '../hosts/happy-paths.ts'
import { hostOf } from '../lambda/doors/host.ts'
import { type JudgedWorld, startJudgedWorld } from './judged-world.ts'

const STAGE = { ...getStage('dev'), replyTail: 'partition' } as const

let world: JudgedWorld
afterAll(() => world?.stop())

describeHappyPaths('functions under their own roles', async () => {
  world = await startJudgedWorld(STAGE, { sse: { concurrencyMax: 40 } })
  return hostOf(world)
})

test('no request of the happy paths is denied, and none is left unjudged', () => {
  expect([...world.proxy.denials, ...world.proxy.faults]).toEqual([])
  expect([...world.messagesUrl.refusals, ...world.executeIamUrl.refusals]).toEqual([])
  expect(world.proxy.sentBy('messages').length).toBeGreaterThan(0)
})
