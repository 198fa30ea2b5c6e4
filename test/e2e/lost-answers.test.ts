/** Calls whose answer is lost on the way, and which their caller repeats under the same key: paid once. */
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { balanceOf, pushSkill } from './admin.ts'
import { readJsonObject } from './fields.ts'
import { LOST_WHEN, type LosingProxy, startLosingProxy } from './losing-proxy.ts'
import { connectStreamable } from './streamable-agent.ts'
import { startTwin, type Twin } from './twin.ts'

let twin: Twin
let tool: string
let upstream: Server
let proxy: LosingProxy | undefined
let arrivals: ServerResponse[] = []
let answersAtOnce = true
let arrived = Promise.withResolvers<void>()

beforeAll(async () => {
  upstream = createServer((_, answer) => {
    arrivals.push(answer)
    arrived.resolve()
    if (answersAtOnce) deliver(answer)
  })
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  const { port } = upstream.address() as AddressInfo
  twin = await startTwin(['--memory', '--outbound-allow', `127.0.0.1:${port}`])
  tool = await pushSkill(twin, {
    id: 'sg_order',
    price: 0.5,
    config: { endpoint: `http://127.0.0.1:${port}/order`, method: 'POST' },
  })
})
afterAll(async () => {
  await twin.stop()
  upstream.closeAllConnections()
  upstream.close()
})
afterEach(async () => {
  await proxy?.stop()
  arrivals = []
  answersAtOnce = true
  arrived = Promise.withResolvers()
})

/** Calls the tool once under a key. Rejects when the answer does not arrive. */
type Caller = (origin: string, key: string) => Promise<{ readonly meta: object }>

const KEY_META = 'skillgate/idempotency-key'

const CALLERS: readonly (readonly [name: string, call: Caller])[] = [
  [
    'the official client of 2025-11-25 with the key in _meta',
    async (origin, key) => {
      const { client } = await connectStreamable(`${origin}/mcp`, { key: twin.key })
      try {
        const params = { name: tool, arguments: {}, _meta: { [KEY_META]: key } }
        return { meta: (await client.callTool(params))._meta ?? {} }
      } finally {
        await client.close()
      }
    },
  ],
  [
    'a client of 2026-07-28 with the key in the header',
    async (origin, key) => {
      const answer = await fetch(`${origin}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${twin.key}`,
          'content-type': 'application/json',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': tool,
          'idempotency-key': key,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: tool, arguments: {}, _meta: MODERN },
        }),
      })
      const { result } = readJsonObject(await answer.text())
      return { meta: Object(Object(result)._meta) }
    },
  ],
]

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

const ROWS = CALLERS.flatMap(([name, call]) => LOST_WHEN.map((when) => ({ name, when, call })))

describe('a call whose answer is lost', () => {
  test.each(ROWS)(
    'a call by $name that is lost when $when is paid once',
    async ({ call, when }) => {
      const { credits } = await balanceOf(twin, twin.uid)
      const key = `${when} ${ROWS.findIndex((row) => row.call === call)}`.replaceAll(' ', '-')
      answersAtOnce = when === 'the answer begins'
      proxy = await startLosingProxy(new URL(twin.mcp).origin, when, () => arrived.promise)
      await expect(call(proxy.origin, key)).rejects.toThrow()
      await proxy.lost
      if (!answersAtOnce) for (const answer of arrivals) deliver(answer)
      expect((await call(proxy.origin, key)).meta).toMatchObject({ 'skillgate/replayed': true })
      expect(arrivals).toHaveLength(1)
      expect(await balanceOf(twin, twin.uid)).toEqual({ credits: credits - 0.5, onHold: 0 })
    },
  )
})

function deliver(answer: ServerResponse): void {
  answer.setHeader('content-type', 'application/json')
  answer.end('{"ordered":true}')
}
