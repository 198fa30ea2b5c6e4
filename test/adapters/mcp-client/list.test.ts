import { afterEach, expect, test, vi } from 'vitest'
import { makeMcpClient } from '../../../adapters/mcp-client/mcp-client.ts'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import {
  answerDiscover,
  answerError,
  answerHandshake,
  answerJson,
  answerResult,
  beginEvents,
  limitsOf,
  openClient,
  type Received,
  type Script,
  serverAt,
  startScripted,
} from './scripted-server.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

async function listing(script: Script, rest: Parameters<typeof serverAt>[1] = {}) {
  const server = await startScripted(script)
  const client = openClient([server.url])
  closers.push(
    () => server.close(),
    () => client.close(),
  )
  const list = (kind: 'prompts' | 'resources' | 'tools' = 'tools', limits = limitsOf()) =>
    client.servers.list(serverAt(server.url, rest), kind, limits)
  return { list, server }
}

const TOOL = { name: 'add', inputSchema: { type: 'object' } }

test('a server of 2026-07-28 is asked in its own revision, and nothing more', async () => {
  const { list, server } = await listing((received, response) => {
    if (answerDiscover(received, response)) return
    answerResult(response, received, { resultType: 'complete', tools: [TOOL], ttlMs: 0 })
  })

  expect(await list()).toEqual({
    ok: true,
    value: {
      entries: [TOOL],
      version: '2026-07-28',
      serverInfo: { name: 'scripted', version: '7' },
      instructions: 'Be kind.',
    },
  })
  expect(server.log).toEqual(['POST server/discover', 'POST tools/list'])
  expect(server.received[1]?.headers).toMatchObject({
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/list',
  })
  expect(server.received[1]?.params).toEqual({
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'skillgate', version: '1.2.3' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {}, url: {} } },
    },
  })
})

test('a legacy server that lists a tool only to clients that can be asked lists it here', async () => {
  const { list, server } = await listing((received, response) => {
    if (answerHandshake(received, response)) return
    const { params } = server.received.find(({ method }) => method === 'initialize') ?? received
    const canAsk = Object.hasOwn(Object(params['capabilities']), 'elicitation')
    answerResult(response, received, { tools: canAsk ? [TOOL] : [] })
  })

  expect(await list()).toMatchObject({ ok: true, value: { entries: [TOOL] } })
})

test.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
  'a server that chooses %s is asked in it, within its session',
  async (version) => {
    const { list, server } = await listing((received, response) => {
      if (answerHandshake(received, response, { sessionId: 's-1', version })) return
      answerResult(response, received, { tools: [TOOL] })
    })

    expect(await list()).toMatchObject({ ok: true, value: { entries: [TOOL], version } })
    expect(server.log).toEqual([
      'POST server/discover',
      'POST initialize',
      'POST notifications/initialized',
      'POST tools/list',
    ])
    expect(server.received[1]?.headers['mcp-protocol-version']).toBe(undefined)
    expect(server.received[3]?.headers).toMatchObject({
      'mcp-protocol-version': version,
      'mcp-session-id': 's-1',
    })
    expect(server.received[3]?.params).toEqual({})
  },
)

test('a server that is asked again is not probed again', async () => {
  const { list, server } = await listing((received, response) => {
    if (answerDiscover(received, response)) return
    answerResult(response, received, { resultType: 'complete', tools: [] })
  })
  await list()
  await list()

  expect(server.log).toEqual(['POST server/discover', 'POST tools/list', 'POST tools/list'])
})

test('a server that chooses HTTP+SSE is refused with the reason', async () => {
  const { list } = await listing((received, response) => {
    answerHandshake(received, response, { version: '2024-11-05' })
  })

  expect(await list()).toEqual({
    ok: false,
    error: {
      kind: 'failed',
      detail:
        'chose "2024-11-05" in its answer to initialize: its URL must be a Streamable HTTP endpoint of MCP 2025-03-26 or later; HTTP+SSE (2024-11-05) is not spoken',
    },
  })
})

test('a URL that takes no POST is refused with the reason', async () => {
  const { list } = await listing((_received, response) => {
    response.writeHead(405).end()
  })

  expect(await list()).toMatchObject({
    ok: false,
    error: {
      kind: 'failed',
      detail:
        'answered 405 to initialize: its URL must be a Streamable HTTP endpoint of MCP 2025-03-26 or later; HTTP+SSE (2024-11-05) is not spoken',
    },
  })
})

test.each([500, 503, 429])(
  'a server that answers %i is not taken for a legacy one',
  async (status) => {
    const { list, server } = await listing((_received, response) => {
      response.writeHead(status).end()
    })

    expect(await list()).toMatchObject({
      ok: false,
      error: { kind: 'failed', detail: `answered ${status}` },
    })
    expect(server.log).toEqual(['POST server/discover'])
  },
)

test.each([401, 403])('a %i hands on the challenge', async (status) => {
  const { list, server } = await listing((received, response) => {
    response.setHeader('www-authenticate', 'Bearer resource_metadata="https://a.example/x"')
    answerError(response, received, { code: -32001, message: 'no', status })
  })

  expect(await list()).toEqual({
    ok: false,
    error: {
      kind: 'unauthorized',
      detail: `answered ${status}`,
      status,
      challenge: 'Bearer resource_metadata="https://a.example/x"',
    },
  })
  expect(server.log).toEqual(['POST server/discover'])
})

test('all pages are read, and each cursor is sent as it came', async () => {
  const pages = [{ nextCursor: '' }, { nextCursor: 'b' }, {}]
  const { list, server } = await listing((received, response) => {
    if (answerDiscover(received, response)) return
    const page = server.log.filter((line) => line === 'POST tools/list').length - 1
    answerResult(response, received, { tools: [{ ...TOOL, name: `t${page}` }], ...pages[page] })
  })

  expect(await list()).toMatchObject({
    value: { entries: [{ name: 't0' }, { name: 't1' }, { name: 't2' }] },
  })
  expect(server.received.slice(1).map(({ params }) => params['cursor'])).toEqual([
    undefined,
    '',
    'b',
  ])
})

/** Answers page after page, each with the next number as its cursor. */
function endless(tools: (page: number) => unknown[], lastPage = Infinity): Script {
  let page = 0
  return (received: Received, response) => {
    if (answerDiscover(received, response)) return
    page += 1
    const more = page < lastPage ? { nextCursor: String(page) } : {}
    answerResult(response, received, { tools: tools(page), ...more })
  }
}

test('a list of 20 pages is read, and one of 21 is refused', async () => {
  const whole = await listing(endless(() => [TOOL], 20))
  expect(await whole.list()).toMatchObject({ ok: true, value: { entries: { length: 20 } } })

  const longer = await listing(endless(() => [TOOL], 21))
  expect(await longer.list()).toEqual({
    ok: false,
    error: { kind: 'failed', detail: 'has more than 20 pages of tools' },
  })
})

test('a list of 1,000 tools is read, and one of 1,001 is refused', async () => {
  const whole = await listing(endless(() => Array.from({ length: 500 }, () => TOOL), 2))
  expect(await whole.list()).toMatchObject({ ok: true, value: { entries: { length: 1_000 } } })

  const longer = await listing(
    endless((page) => Array.from({ length: 500 * page + 1 }, () => TOOL), 2),
  )
  expect(await longer.list()).toEqual({
    ok: false,
    error: { kind: 'failed', detail: 'lists more than 1000 tools' },
  })
})

test('a list over the bytes is refused, also over several pages', async () => {
  const big = { ...TOOL, description: 'x'.repeat(4_000) }
  const { list } = await listing(endless(() => [big]))

  expect(await list('tools', limitsOf(10_000))).toEqual({
    ok: false,
    error: { kind: 'failed', detail: 'lists more than 10000 bytes of tools' },
  })
})

test('a cursor that comes twice is refused', async () => {
  const { list } = await listing((received, response) => {
    if (answerDiscover(received, response)) return
    answerResult(response, received, { tools: [], nextCursor: 'again' })
  })

  expect(await list()).toEqual({
    ok: false,
    error: { kind: 'failed', detail: 'answered the same nextCursor twice' },
  })
})

test('an entry that is unsafe to pass on is left out alone', async () => {
  const { list } = await listing((received, response) => {
    if (answerDiscover(received, response)) return
    const text = `{"jsonrpc":"2.0","id":${JSON.stringify(received.id)},"result":{"tools":[{"name":"a"},{"name":"b","__proto__":{}},{"name":"c\\u0000"},{"name":"d\\ud800"},7,{"name":"e","inputSchema":{"maximum":12345678901234567890}}]}}`
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  })
  const listed = await list()

  expect(JSON.stringify(listed.ok && listed.value.entries)).toBe(
    '[{"name":"a"},{"name":"e","inputSchema":{"maximum":12345678901234567890}}]',
  )
})

test('a server without prompts has an empty list of them', async () => {
  const { list } = await listing((received, response) => {
    if (answerDiscover(received, response)) return
    answerError(response, received, { code: -32601, message: 'Method not found', status: 404 })
  })

  expect(await list('prompts')).toMatchObject({ ok: true, value: { entries: [] } })
  expect(await list('tools')).toEqual({
    ok: false,
    error: { kind: 'error', code: -32601, detail: 'answered the error -32601: Method not found' },
  })
})

test('an answer over a stream ends the wait, although the stream stays open', async () => {
  const { list } = await listing((received, response) => {
    if (answerDiscover(received, response)) return
    const write = beginEvents(response)
    response.write('id: 0\ndata: \n\nevent: other\ndata: {"id":1}\n\n')
    write({ jsonrpc: '2.0', method: 'notifications/message', params: {} })
    write({ jsonrpc: '2.0', id: 'of another', result: { tools: [] } })
    write({ jsonrpc: '2.0', id: received.id, result: { tools: [TOOL] } })
  })

  expect(await list()).toMatchObject({ ok: true, value: { entries: [TOOL] } })
})

test('a stream that ends early goes on at its position', async () => {
  const { list, server } = await listing((received, response) => {
    if (answerHandshake(received, response)) return
    if (received.http === 'GET') {
      const id = server.received.find(({ method }) => method === 'tools/list')?.id
      return void beginEvents(response)({ jsonrpc: '2.0', id, result: { tools: [TOOL] } })
    }
    beginEvents(response)
    response.end('id: here\nretry: 1\ndata: \n\n')
  })

  expect(await list()).toMatchObject({ ok: true, value: { entries: [TOOL] } })
  expect(server.log.slice(-2)).toEqual(['POST tools/list', 'GET -'])
  expect(server.received.at(-1)?.headers['last-event-id']).toBe('here')
})

test('a stream that always ends early is asked to go on 10 times', async () => {
  const { list, server } = await listing((received, response) => {
    if (answerHandshake(received, response)) return
    beginEvents(response)
    response.end('id: here\nretry: 1\ndata: \n\n')
  })

  expect(await list()).toMatchObject({
    error: { detail: 'answered 200 without a JSON-RPC message for the request' },
  })
  expect(server.log.filter((line) => line === 'GET -').length).toBe(10)
})

test('a connection that is not open after 3 s is given up, and tried once more', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let sends = 0
  // A name that is never found: no connection opens.
  const resolve = () => {
    sends += 1
  }
  const upstream = httpUpstream({ resolve })
  closers.push(() => upstream.close())
  const { servers } = makeMcpClient({ clock: { nowMs: () => 0 }, upstream, version: '1' })
  const listed = servers.list(serverAt('https://mcp.example/'), 'tools', limitsOf())
  await vi.advanceTimersByTimeAsync(2_999)
  expect(sends).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(sends).toBe(2)
  await vi.advanceTimersByTimeAsync(3_000)
  vi.useRealTimers()

  expect(await listed).toMatchObject({
    error: { kind: 'failed', detail: 'did not accept the connection in time' },
  })
})

test('a session that is over is opened again, once', async () => {
  let sessions = 0
  const { list, server } = await listing((received, response) => {
    if (received.method === 'initialize') sessions += 1
    if (answerHandshake(received, response, { sessionId: `s-${sessions}` })) return
    if (received.headers['mcp-session-id'] === 's-1' && server.log.length > 4) {
      return void response.writeHead(404).end()
    }
    answerResult(response, received, { tools: [TOOL] })
  })
  await list()

  expect(await list()).toMatchObject({ ok: true })
  expect(server.log.slice(4)).toEqual([
    'POST tools/list',
    'POST server/discover',
    'POST initialize',
    'POST notifications/initialized',
    'POST tools/list',
  ])
})

test('a server that refuses every session fails, and is not asked for ever', async () => {
  const { list, server } = await listing((received, response) => {
    if (answerHandshake(received, response, { sessionId: 's' })) return
    response.writeHead(404).end()
  })

  expect(await list()).toMatchObject({ ok: false, error: { detail: 'answered 404' } })
  expect(server.log.length).toBe(4)
})

test('an answer for another request is no answer', async () => {
  const { list } = await listing((received, response) => {
    if (answerDiscover(received, response)) return
    answerJson(response, { jsonrpc: '2.0', id: 'other', result: { tools: [TOOL] } })
  })

  expect(await list()).toMatchObject({
    error: { detail: 'answered 200 without a JSON-RPC message for the request' },
  })
})

test('credentials go with each message of a handshake', async () => {
  const headers = { authorization: 'Bearer k' }
  const { list, server } = await listing(
    (received, response) => {
      if (answerHandshake(received, response, { sessionId: 's' })) return
      answerResult(response, received, { tools: [] })
    },
    { headers, sensitiveHeaders: ['authorization'] },
  )
  await list()

  expect(server.received.map((received) => received.headers['authorization'])).toEqual([
    'Bearer k',
    'Bearer k',
    'Bearer k',
    'Bearer k',
  ])
})

test('a redirect that would make a GET of the request is refused with the remedy', async () => {
  const { list, server } = await listing((_received, response) => {
    response.writeHead(301, { location: '/mcp/' }).end()
  })

  expect(await list()).toMatchObject({
    error: {
      detail:
        'could not be reached: its redirect would turn the POST into a GET; use the URL that the redirect leads to',
    },
  })
  expect(server.log).toEqual(['POST server/discover'])
})
