/** sg_preview_call as agents find and call it, over the transports. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectAgent } from './agent.ts'
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

test('agents are shown the tool and call it over HTTP+SSE, also for a tool that is not theirs', async () => {
  const old = await connectAgent(twin.sse, twin.key)
  try {
    expect(await old.toolNames()).toContain('sg_preview_call')
    const reply = await old.call('sg_preview_call', {
      tool: 'sg_weather',
      arguments: { city: 'Oslo' },
    })
    expect([reply.isError, JSON.parse(reply.text)]).toMatchObject([
      false,
      { price: 0.5, wouldRun: true, request: { method: 'GET' } },
    ])
    const other = await old.call('sg_preview_call', { tool: 'sg_nobody' })
    expect([other.isError, other.text]).toEqual([true, expect.stringContaining('sg_nobody')])
  } finally {
    await old.close()
  }
})
