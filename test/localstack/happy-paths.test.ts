/**
 * The deployed code and environment pass the suite that every host passes: under AWS's runtime client,
 * with administration through the emulator's own REST API.
 */
import { afterAll, expect, test } from 'vitest'
import { describeHappyPaths } from '../hosts/happy-paths.ts'
import { type DeployedWorld, startDeployedWorld } from './deployed-world.ts'
import { type Deployment, deploymentOfProcess } from './deployment.ts'

let deployed: Deployment
let world: DeployedWorld
afterAll(() => world?.stop())

describeHappyPaths('the emulator', async () => {
  deployed = await deploymentOfProcess()
  world = await startDeployedWorld(deployed)
  const { pathname } = new URL(deployed.outputs.mcpUrl)
  return {
    sse: `${world.sseUrl.url}/v1/mcp/sse`,
    mcp: `${world.mcpUrl.url}${pathname}`,
    execute: `${world.executeUrl.url}/v1/execute`,
    admin: deployed.admin,
    internalApiSecret: deployed.internalApiSecret,
    upstream: world.upstream,
    // Later than the suite: the tests below look at what the world has recorded.
    stop: async () => {},
  }
})

test('McpUrl names the path at which the gateway answered', () => {
  expect(new URL(deployed.outputs.mcpUrl).pathname).toBe('/mcp')
})

test('each hop of a call was a signed request to another function, and none was refused', () => {
  expect([...world.messagesUrl.refusals, ...world.executeIamUrl.refusals]).toEqual([])
  expect(world.messages.environments().length).toBeGreaterThan(0)
  expect(world.execute.environments().length).toBeGreaterThan(0)
})
