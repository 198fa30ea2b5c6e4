/** sg_preview_call as agents find and call it, over the transports. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectStreamable, type StreamableAgent } from './streamable-agent.ts'
import { startTwin, type Twin } from './twin.ts'

let twin: Twin
let agent: StreamableAgent

beforeAll(async () => {
  twin = await startTwin(['--memory', '--preview-calls'])
  agent = await connectStreamable(twin.mcp, { key: twin.key })
})

afterAll(async () => {
  await agent?.client.close()
  await twin?.stop()
})

test('agents are shown the tool and call it over /mcp', async () => {
  const { tools } = await agent.client.listTools()
  expect(tools.map(({ name }) => name)).toContain('sg_preview_call')
  const args = { tool: 'sg_weather', arguments: { city: 'Oslo' } }
  const reply = await agent.call('sg_preview_call', args)
  expect(reply).toMatchObject({ isError: false })
  expect(JSON.parse(reply.text)).toMatchObject({ price: 0.5, wouldRun: true })
})
