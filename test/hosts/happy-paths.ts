/**
 * What works on every host: one suite for the twin, for the bundles under AWS's runtime client, and for
 * the code that is deployed to an emulator. Each test has users and skills of its own, because hosts may
 * share a store.
 */
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VERSION } from '../../adapters/config/version.ts'
import { freshName } from '../contracts/fresh.ts'
import { balanceOf, createUser, pushSkill } from '../e2e/admin.ts'
import { connectAgent } from '../e2e/agent.ts'
import { bearer, postJson } from '../e2e/http.ts'
import { connectStreamable } from '../e2e/streamable-agent.ts'
import { describeAdministration } from './administration.ts'
import { adminOf, type GatewayHost, type StartHost } from './gateway-host.ts'

const PRICE = 0.5
const ECHO = {
  type: 'object',
  properties: { text: { type: 'string', description: 'Comes back.' } },
  required: ['text'],
}
const MODERN = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
}

export function describeHappyPaths(name: string, start: StartHost): void {
  describe(`the gateway on ${name}`, () => {
    let host: GatewayHost
    const echo = `sg_${freshName('echo')}`
    beforeAll(async () => {
      host = await start()
      const config = { endpoint: `${host.upstream.url}/echo`, method: 'GET' }
      await pushSkill(adminOf(host), { id: echo, config, parameters: ECHO, price: PRICE })
    })
    afterAll(() => host?.stop())

    const newUser = () => createUser(adminOf(host), { username: freshName('ada'), credits: 10 })

    /** Once nothing is on hold: a call is settled after its answer. */
    async function settledCredits(uid: string): Promise<number> {
      const onHold = async () => (await balanceOf(adminOf(host), uid)).onHold
      await expect.poll(onHold).toBe(0)
      return (await balanceOf(adminOf(host), uid)).credits
    }

    describeAdministration(() => host)

    test("the official client over HTTP+SSE connects and learns the server's name", async () => {
      const agent = await connectAgent(host.sse, (await newUser()).key)
      expect(agent.client.getServerVersion()).toEqual({ name: 'skillgate', version: VERSION })
      expect(agent.client.getServerCapabilities()).toEqual({
        tools: { listChanged: true },
        resources: {},
        prompts: {},
        extensions: {
          'io.modelcontextprotocol/skills': { directoryRead: true },
          'io.modelcontextprotocol/ui': {},
        },
        experimental: { 'skillgate/idempotency': { keepSec: 86_400 } },
      })
      expect(agent.client.getInstructions()).toContain('credits')
      expect(agent.posted.slice(0, 2)).toEqual(['initialize', 'notifications/initialized'])
      await agent.close()
    })

    test('the official client over HTTP+SSE lists the tools, calls one and pays its price', async () => {
      const { key, uid } = await newUser()
      const agent = await connectAgent(host.sse, key)
      expect(await agent.toolNames()).toEqual(expect.arrayContaining(['sg_account', echo]))
      const reply = await agent.call(echo, { text: 'grüezi' })
      expect(reply).toEqual({ text: '{"text":"grüezi"}', isError: false })
      expect(host.upstream.asked.at(-1)).toBe('?text=gr%C3%BCezi')
      expect(await settledCredits(uid)).toBe(9.5)
      await agent.close()
    })

    test('the official client over HTTP+SSE pays nothing for wrong arguments and unknown tools', async () => {
      const { key, uid } = await newUser()
      const agent = await connectAgent(host.sse, key)
      const missing = await agent.call(echo, {})
      expect(missing.isError).toBe(true)
      expect(missing.text).toContain('text')
      const wrong = await agent.call(echo, { text: 7 })
      expect(wrong.isError).toBe(true)
      expect(wrong.text).toContain('/text')
      const error: unknown = await agent.call('sg_nothing').catch((cause: unknown) => cause)
      expect(error).toBeInstanceOf(McpError)
      expect(error).toMatchObject({ code: -32602 })
      expect(String(error)).toContain('sg_nothing')
      expect(await balanceOf(adminOf(host), uid)).toEqual({ credits: 10, onHold: 0 })
      await agent.close()
    })

    test('the official client over Streamable HTTP connects, lists the tools, calls one and pays its price', async () => {
      const { key, uid } = await newUser()
      const agent = await connectStreamable(host.mcp, { key })
      expect(agent.client.getServerVersion()).toMatchObject({ name: 'skillgate' })
      expect(await agent.toolNames()).toEqual(expect.arrayContaining(['sg_account', echo]))
      const reply = await agent.call(echo, { text: 'grüezi' })
      expect(reply).toEqual({ text: '{"text":"grüezi"}', isError: false })
      expect((await agent.call(echo, {})).isError).toBe(true)
      await agent.client.close()
      expect(await settledCredits(uid)).toBe(9.5)
    })

    test('a client of 2026-07-28 discovers the server and calls a tool, each answered by one JSON document', async () => {
      const { key } = await newUser()
      const post = (method: string, params: { readonly name?: string }) => {
        const id = 7
        const body = { jsonrpc: '2.0', id, method, params: { ...params, _meta: META } }
        return postJson(host.mcp, body, {
          ...bearer(key),
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': MODERN,
          'mcp-method': method,
          ...(params.name === undefined ? {} : { 'mcp-name': params.name }),
        })
      }
      const found = await post('server/discover', {})
      expect(found.json()).toMatchObject({
        id: 7,
        result: { resultType: 'complete', supportedVersions: expect.arrayContaining([MODERN]) },
      })
      const params = { name: echo, arguments: { text: 'x' } }
      const called = await post('tools/call', params)
      expect(called.status).toBe(200)
      expect(called.headers['content-type']).toBe('application/json')
      expect(called.json()).toMatchObject({
        id: 7,
        result: { isError: false, structuredContent: { text: 'x' } },
      })
    })

    test('POST /v1/execute answers a call with its content, its price and the limit of the minute', async () => {
      const { key, uid } = await newUser()
      const body = { skill: echo, arguments: { text: 'hi' } }
      const answer = await postJson(host.execute, body, bearer(key))
      expect(answer.status, answer.text).toBe(200)
      expect(answer.headers['content-type']).toContain('application/json')
      expect(answer.json()).toMatchObject({
        callId: expect.any(String),
        skillId: echo,
        source: 'official',
        content: [{ type: 'text', text: expect.stringContaining('hi') }],
        structuredContent: { text: 'hi' },
        isError: false,
        credits: { charged: 0.5, refunded: 0, remaining: 9.5 },
        durationMs: expect.any(Number),
      })
      expect(answer.headers['ratelimit-policy']).toBe('"minute";q=60;w=60')
      expect(answer.headers['ratelimit']).toMatch(/^"minute";r=59;t=\d+$/)
      expect(await settledCredits(uid)).toBe(9.5)
    })
  })
}
