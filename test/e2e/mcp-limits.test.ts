/**
 * Limits of POST /mcp over real HTTP: an input past one is refused with the limit and the remedy,
 * none is a 5xx, and an agent of another key works on after each of them.
 */
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { bearer, type HttpRequest, send } from './http.ts'
import { connectStreamable, type StreamableAgent } from './streamable-agent.ts'
import { startTwin, type Twin } from './twin.ts'

const MIB = 1_048_576

let twin: Twin
let witness: StreamableAgent

beforeAll(async () => {
  twin = await startTwin(['--memory', '--calls-per-minute', '10000'])
  witness = await connectStreamable(twin.mcp, { key: twin.secondKey })
})

afterEach(async () => {
  const called = await witness.call('sg_echo', { text: 'still here' })
  expect(called.isError).toBe(false)
})

afterAll(async () => {
  await witness?.client.close()
  await twin?.stop()
  expect(twin.said()).not.toContain('"level":"ERROR"')
})

function post(body: string, more: Omit<HttpRequest, 'body'> = {}) {
  const headers = { 'content-type': 'application/json', ...bearer(twin.key), ...more.headers }
  return send(twin.mcp, { method: 'POST', ...more, headers, body })
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

function pingOf(bytes: number): string {
  const head = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"pad":"'
  return `${head}${'x'.repeat(bytes - head.length - 3)}"}}`
}

function batchOf(count: number): string {
  return JSON.stringify(
    Array.from({ length: count }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'sg_echo', arguments: { text: `t${id}` } },
    })),
  )
}

test('a body of 1 MiB is answered, and one byte more gets 413 with the limit', async () => {
  expect((await post(pingOf(MIB))).text).toBe('{"jsonrpc":"2.0","id":1,"result":{}}')
  const over = await post(pingOf(MIB + 1))
  expect([over.status, over.json()]).toMatchObject([413, { code: 'too_large' }])
  expect(String(over.json()['detail'])).toContain('1048576 bytes')
})

test('a header of 8192 bytes passes; one byte more, or 40 kB in total, gets 431', async () => {
  const answer = await send(twin.mcp, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    chunks: Array(50).fill(Buffer.alloc(100_000, 'x')),
  })
  expect(answer.status).toBe(413)
})

test('a header of 8192 bytes passes; one byte more, and 40 kB in total, get 431', async () => {
  const of = (bytes: number) => post(PING, { headers: { 'x-long': 'x'.repeat(bytes) } })
  expect((await of(8_192)).status).toBe(200)
  expect((await of(8_193)).status).toBe(431)
  const many = Array.from({ length: 5 }, (_, nth) => [`x-${nth}`, 'x'.repeat(8_000)])
  expect((await post(PING, { headers: Object.fromEntries(many) })).status).toBe(431)
})

test('a batch of fifty calls is answered in order, and one of fifty-one is refused whole', async () => {
  const fifty = await post(batchOf(50))
  const replies: { id: number; result: { isError: boolean } }[] = JSON.parse(fifty.text)
  expect(replies.map(({ id, result }) => [id, result.isError])).toEqual(
    Array.from({ length: 50 }, (_, id) => [id, false]),
  )
  const over = await post(batchOf(51))
  expect([over.status, over.json()]).toMatchObject([400, { id: null, error: { code: -32600 } }])
  expect(over.text).toContain('50 messages')
})

test('a message of 64 levels is accepted; one of 65, or a million brackets, is refused', async () => {
  const nested = (depth: number) =>
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}}`
  expect((await post(nested(64))).status).toBe(200)
  for (const body of [nested(65), '['.repeat(1_000_000)]) {
    const deep = await post(body)
    expect([deep.status, deep.json()]).toMatchObject([400, { error: { code: -32600 } }])
  }
})

test.each(['0', '-7', '1.0', '12345678901234567890', '""', `"${'i'.repeat(256)}"`])(
  'the id %s comes back digit by digit',
  async (id) => {
    const answer = await post(PING.replace('"id":1', `"id":${id}`))
    expect(answer.text).toBe(`{"jsonrpc":"2.0","id":${id},"result":{}}`)
  },
)

test.each(['PUT', 'PATCH', 'DELETE', 'GET', 'HEAD'])('%s gets 405 with Allow', async (method) => {
  const answer = await send(twin.mcp, { method, headers: bearer(twin.key) })
  expect([answer.status, answer.headers.allow]).toEqual([405, 'POST, OPTIONS'])
})

test('a foreign Origin gets 403, and so does null', async () => {
  for (const origin of ['https://evil.example', 'null']) {
    expect((await post(PING, { headers: { origin } })).status).toBe(403)
  }
})

test('a bad key gets 401 on a notification as on a request', async () => {
  for (const body of [PING, '{"jsonrpc":"2.0","method":"notifications/initialized"}']) {
    const answer = await post(body, { headers: bearer(`sgk_${'x'.repeat(43)}`) })
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([
      401,
      'Bearer realm="skillgate"',
    ])
  }
})

/** Sent byte for byte: an HTTP client would fold or refuse them. */
test('smuggled headers are served as sent, refused, or never read', async () => {
  const modern = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  })
  const right = ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/list']
  const cases: readonly (readonly [readonly string[], number])[] = [
    [right, 200],
    [['mcp-protocol-version:2026-07-28  ', 'MCP-METHOD: \ttools/list\t'], 200],
    [[...right, 'mcp-method: tools/list'], 400],
    [[...right, 'Mcp-Method: tools/call'], 400],
    [[...right, 'Mcp-Protocol-Version: 2025-11-25'], 400],
    [[...right, 'Content-Length: 5'], 400],
    [[...right, 'Transfer-Encoding: chunked'], 400],
    [['MCP-Protocol-Version : 2026-07-28', 'Mcp-Method: tools/list'], 400],
    [['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/list\u0000'], 400],
    [['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools', ' /list'], 400],
  ]
  for (const [headers, status] of cases) {
    expect([headers, await rawStatus(headers, modern)]).toEqual([headers, status])
  }
})

/** The status of the one answer; the server closes the connection, or we close it afterwards. */
function rawStatus(headers: readonly string[], body: string): Promise<number> {
  const { hostname, port } = new URL(twin.mcp)
  const lines = [
    'POST /mcp HTTP/1.1',
    `Host: ${hostname}:${port}`,
    'Content-Type: application/json',
    `Authorization: Bearer ${twin.key}`,
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ]
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let output = ''
    socket.setTimeout(5_000, () => socket.destroy(new Error('no answer')))
    socket.on('data', (chunk) => {
      output += chunk.toString()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(output)?.[1])))
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
  })
}
