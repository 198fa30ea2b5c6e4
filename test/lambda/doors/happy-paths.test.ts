/**
 * The bundles under AWS's runtime client pass the suite that every host passes, on a platform at its
 * worst: each small chunk of a stream is held until the next write.
 */
import { afterAll, expect, test } from 'vitest'
import { describeHappyPaths } from '../../hosts/happy-paths.ts'
import { SECRETS, startWorld, type World } from './world.ts'

let world: World
afterAll(() => world?.stop())

describeHappyPaths('Lambda', async () => {
  world = await startWorld({ holdLastChunk: true, sse: { concurrencyMax: 40 } })
  return {
    sse: `${world.sseUrl.url}/v1/mcp/sse`,
    mcp: `${world.mcpUrl.url}/mcp`,
    execute: `${world.executeUrl.url}/v1/execute`,
    admin: `${world.adminApi.url}/v1/admin`,
    internalApiSecret: SECRETS.INTERNAL_API_SECRET,
    upstream: world.upstream,
    // Later than the suite: the test below looks at what the world has recorded.
    stop: async () => {},
  }
})

test('no function was refused when it called another', () => {
  expect([...world.messagesUrl.refusals, ...world.executeIamUrl.refusals]).toEqual([])
  expect(world.messages.timeline.count('given')).toBeGreaterThan(0)
})
