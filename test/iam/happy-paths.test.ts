/**
 * The suite that every host passes, with each function under its own role and every request to a service judged
 * by the synthesized policies; replies come through the partition of their session.
 */
import { afterAll, expect, test } from 'vitest'
import { stageNamed } from '../../lib/stages.ts'
import { describeHappyPaths } from '../hosts/happy-paths.ts'
import { SECRETS } from '../lambda/doors/world.ts'
import { type JudgedWorld, startJudgedWorld } from './judged-world.ts'

const STAGE = { ...stageNamed('dev'), replyTail: 'partition' } as const

let world: JudgedWorld
afterAll(() => world?.stop())

describeHappyPaths('functions under their own roles', async () => {
  world = await startJudgedWorld(STAGE, { sse: { concurrencyMax: 40 } })
  return {
    sse: `${world.sseUrl.url}/v1/mcp/sse`,
    mcp: `${world.mcpUrl.url}/mcp`,
    execute: `${world.executeUrl.url}/v1/execute`,
    admin: `${world.adminApi.url}/v1/admin`,
    internalApiSecret: SECRETS.INTERNAL_API_SECRET,
    upstream: world.upstream,
    // Later than the suite: the test below looks at what the proxy has seen.
    stop: async () => {},
  }
})

test('no request of these was denied, and none was left unjudged', () => {
  expect([...world.proxy.denials, ...world.proxy.faults]).toEqual([])
  expect([...world.messagesUrl.refusals, ...world.executeIamUrl.refusals]).toEqual([])
  expect(world.proxy.sentBy('messages').length).toBeGreaterThan(0)
})
