/** The twin from the view of an agent on Streamable HTTP: the official client against POST /mcp. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ElicitRequestSchema, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { balanceOf, pushSkill, syncSkill } from './admin.ts'
import { readJsonObject } from './fields.ts'
import { bearer, postJson, send } from './http.ts'
import { connectStreamable, type StreamableAgent } from './streamable-agent.ts'
import { startTwin, type Twin } from './twin.ts'
import { PATIENCE_MS, untilTrue } from './wait.ts'

let twin: Twin
const agents: StreamableAgent[] = []

beforeAll(async () => {
  twin = await startTwin(['--memory'])
})
afterAll(() => twin.stop())
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.client.close()
})

async function connected(key?: string): Promise<StreamableAgent> {
  const agent = await connectStreamable(twin.mcp, key === undefined ? {} : { key })
  agents.push(agent)
  return agent
}

describe('the official client over Streamable HTTP', () => {
  test('connects without a session, and gets 405 for the stream that it asks for', async () => {
    const agent = await connected(twin.key)
    await agent.toolNames()
    expect(agent.transport.sessionId).toBeUndefined()
    expect(agent.transport.protocolVersion).toBe('2025-11-25')
    expect(agent.client.getServerVersion()).toMatchObject({ name: 'skillgate' })
    expect(agent.client.getServerCapabilities()).toEqual({
      tools: { listChanged: false },
      resources: {},
      prompts: {},
      extensions: {
        'io.modelcontextprotocol/skills': { directoryRead: true },
        'io.modelcontextprotocol/ui': {},
      },
      experimental: { 'skillgate/idempotency': { keepSec: 86_400 } },
    })
    // The client asks for its stream beside its other requests and waits for no answer.
    await untilTrue(() => agent.exchanges.some((one) => one.startsWith('GET')))
    expect([...agent.exchanges].sort()).toEqual([
      'GET - 405 application/problem+json',
      'POST initialize 200 application/json',
      'POST notifications/initialized 202 -',
      'POST tools/list 200 application/json',
    ])
  })

  test('gets a failure as a result, and an unknown tool as an error', async () => {
    const agent = await connected(twin.key)
    const failing = await syncSkill(twin, { id: 'sg_mcp_fails', at: 'nothing-here', price: 1 })
    const before = await balanceOf(twin, twin.uid)
    expect(await agent.call(failing)).toMatchObject({ isError: true })
    expect(await balanceOf(twin, twin.uid)).toEqual(before)
    const unknown = await agent.call('sg_nobody').catch((cause: unknown) => cause)
    expect(unknown).toBeInstanceOf(McpError)
    expect(unknown).toMatchObject({ code: ErrorCode.InvalidParams })
  })

  test('is told each second how long a slow call has run', async () => {
    const agent = await connected(twin.key)
    const notifications: { progress: number; total?: number | undefined }[] = []
    const called = await agent.client.callTool({ name: 'sg_slow', arguments: {} }, undefined, {
      timeout: PATIENCE_MS,
      onprogress: ({ progress, total }) => notifications.push({ progress, total }),
    })
    expect(called.isError).toBe(true)
    expect(agent.exchanges).toContain('POST tools/call 200 text/event-stream')
    expect(notifications[0]).toEqual({ progress: 0, total: 15 })
    // One a second at most; a busy machine sends them late.
    expect(notifications.length).toBeGreaterThanOrEqual(3)
    expect(notifications.length).toBeLessThanOrEqual(16)
    for (const [index, { progress }] of notifications.entries()) {
      if (index > 0) expect(progress).toBeGreaterThan(notifications[index - 1]?.progress ?? 0)
    }
  })

  test('without a key lists the tools for everybody, and is told to get a key when it calls', async () => {
    const agent = await connected()
    expect(await agent.toolNames()).toContain('sg_weather')
    const called = await agent.call('sg_weather', { city: 'Oslo' })
    expect(called.isError).toBe(true)
    expect(called.text).toContain('Authorization: Bearer sgk_')
  })

  test('with an unknown key is refused at once', async () => {
    const key = `sgk_${'x'.repeat(43)}`
    await expect(connectStreamable(twin.mcp, { key })).rejects.toMatchObject({ code: 401 })
  })
})

describe('a tool that must ask first', () => {
  let upstream: Server

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { got } = readJsonObject(Buffer.concat(chunks).toString())
        const answer = got === '' || got === undefined || got === null ? ASKS : saidBack(got)
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(answer))
      })
    }).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
  })
  afterAll(() => {
    upstream.close()
  })

  test('asks the client over the stream of its call, and goes on with the answer', async () => {
    const { port } = upstream.address() as AddressInfo
    const other = await startTwin(['--memory', '--outbound-allow', `127.0.0.1:${port}`])
    try {
      const tool = await pushSkill(other, {
        id: 'sg_asks',
        price: 1,
        config: {
          endpoint: `http://127.0.0.1:${port}/`,
          method: 'POST',
          body: { got: '{{input.responses}}' },
          response: { as: 'mcp' },
        },
      })
      const agent = await connectStreamable(other.mcp, {
        key: other.key,
        prepare: (client) =>
          client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({
            action: 'accept',
            content: { answer: `${params.message} Oslo` },
          })),
      })
      agents.push(agent)
      const { isError, text } = await agent.call(tool)
      expect(isError).toBe(false)
      expect(JSON.parse(text)).toEqual({
        city: { action: 'accept', content: { answer: 'Which city? Oslo' } },
      })
      expect(agent.exchanges.slice(-2)).toEqual([
        'POST tools/call 200 text/event-stream',
        'POST response 202 -',
      ])
      expect((await balanceOf(other, other.uid)).credits).toBe(99)
    } finally {
      await other.stop()
    }
  })
})

const ASKS = {
  resultType: 'input_required',
  inputRequests: {
    city: {
      method: 'elicitation/create',
      params: {
        message: 'Which city?',
        requestedSchema: { type: 'object', properties: { answer: { type: 'string' } } },
      },
    },
  },
}

function saidBack(value: unknown) {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] }
}

describe('the endpoint', () => {
  test.each(['/mcp', '/mcp/', '/v1/mcp', '/v1/mcp/'])('answers at %s', async (path) => {
    const body = { jsonrpc: '2.0', id: 0, method: 'tools/list' }
    const answer = await postJson(`${twin.url}${path}`, body, bearer(twin.key))
    expect(answer.status).toBe(200)
    expect(answer.json()).toMatchObject({ jsonrpc: '2.0', id: 0 })
  })

  test('has no stream to GET and no session to DELETE', async () => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await send(twin.mcp, { method, headers: bearer(twin.key) })
      expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST, OPTIONS'])
    }
  })
})
