/** Servers that mean harm, or that break off: what one call of them may cost, and what it may run. */
import type { ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import type { McpCall, UpstreamAnswer } from '../../../core/call/upstream.ts'
import type { UpstreamLimits } from '../../../core/ports/outside.ts'
import {
  answerDiscover,
  answerError,
  answerHandshake,
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

async function calling(script: Script) {
  const server = await startScripted(script)
  const client = openClient([server.url])
  closers.push(server.close, client.close)
  const call = (more: Partial<McpCall> = {}, limits: Partial<UpstreamLimits> = {}) => {
    const mcp = { tool: 'add', arguments: {}, capabilities: {}, ...more }
    const request = { method: 'POST', url: server.url, headers: {}, body: undefined, mcp } as const
    const { signal } = new AbortController()
    return client.tools.send(request, { responseBytesMax: 100_000, signal, uid: 'ada', ...limits })
  }
  const list = () => client.servers.list(serverAt(server.url), 'tools', limitsOf(100_000))
  const calls = () => server.log.filter((line) => line === 'POST tools/call').length
  return { call, calls, list, server }
}

function readBody(answer: UpstreamAnswer): string {
  return answer.kind === 'answered' ? Buffer.from(answer.response.body).toString() : answer.kind
}

const DONE = { content: [{ type: 'text', text: 'done' }] }
const NOTICE = { jsonrpc: '2.0', method: 'notifications/message', params: {} }

/** Ends the stream of a call after an event with a position, which says how to go on at once. */
function breakOff(response: ServerResponse, lines = 'retry: 1\nid: 7\n'): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(`${lines}data: ${JSON.stringify(NOTICE)}\n\n`)
}

test.each([400, 404])(
  'a call whose stream broke off is not sent again when the server answers %i to go on',
  async (status) => {
    const { call, calls } = await calling((received, response) => {
      if (answerHandshake(received, response, { sessionId: 's' })) return
      if (received.http === 'GET') response.writeHead(status).end()
      else breakOff(response)
    })
    // The first call makes the session known.
    await call()
    const before = calls()

    expect(await call()).toMatchObject({ kind: 'unreachable', hasPartialAnswer: true })
    expect(calls()).toBe(before + 1)
  },
)

test('a call whose stream broke off is not sent again when the server is gone', async () => {
  const { call, calls, server } = await calling((received, response) => {
    if (answerHandshake(received, response)) return
    response.on('finish', () => server.close())
    breakOff(response)
  })

  expect(await call()).toMatchObject({ kind: 'unreachable', hasPartialAnswer: true })
  expect(calls()).toBe(1)
})

test('a redirect of a stream that goes on is no sign that nothing was sent', async () => {
  const { call } = await calling((received, response) => {
    if (answerHandshake(received, response)) return
    if (received.http === 'POST') return breakOff(response)
    response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end()
  })

  expect(await call()).toMatchObject({ kind: 'unreachable', hasPartialAnswer: true })
})

test.each(['id: \u00fcber\n', `id: ${'9'.repeat(2_000)}\n`])(
  'a position that no header can have is not asked for',
  async (lines) => {
    const { call, server } = await calling((received, response) => {
      if (!answerHandshake(received, response)) breakOff(response, lines)
    })

    expect(await call()).toMatchObject({ kind: 'unreadable' })
    expect(server.log.filter((line) => line === 'GET -')).toEqual([])
  },
)

test('a pause that no timer can hold does not make the gateway ask at once', async () => {
  const { call, server } = await calling((received, response) => {
    if (answerHandshake(received, response)) return
    breakOff(response, 'retry: 99999999999\nid: 7\n')
  })
  const cut = new AbortController()
  const answer = call({}, { signal: cut.signal })
  await expect.poll(() => server.log.at(-1)).toBe('POST tools/call')
  // A timer over 2^31 ms would fire in the next turn.
  await new Promise((resolve) => setTimeout(resolve, 50))
  cut.abort('cut')

  expect(await answer).toEqual({ kind: 'cut' })
  expect(server.log.filter((line) => line === 'GET -')).toEqual([])
})

test('the limit of an answer counts the bytes of all streams that a server breaks off', async () => {
  const { call, server } = await calling((received, response) => {
    if (answerHandshake(received, response)) return
    breakOff(response, `retry: 1\nid: 7\n: ${'x'.repeat(40_000)}\n`)
  })

  expect(await call()).toEqual({ kind: 'too_large', bytesMax: 100_000 })
  expect(server.log.filter((line) => line === 'GET -').length).toBe(2)
})

test.each([
  { events: 20_000, expected: { kind: 'answered' } },
  { events: 20_001, expected: { kind: 'unreadable', detail: 'sent over 20000 events' } },
])('a stream of $events events before the answer is $expected.kind', async (asked) => {
  const { call } = await calling((received, response) => {
    if (answerDiscover(received, response)) return
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data:x\n\n'.repeat(asked.events - 1))
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: received.id, result: DONE })}\n\n`)
  })

  expect(await call({}, { responseBytesMax: 300_000 })).toMatchObject(asked.expected)
})

test.each([401, 404, 500])('a result with the status %i is no result', async (status) => {
  const { call } = await calling((received, response) => {
    if (answerDiscover(received, response)) return
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: received.id, result: DONE }))
  })

  expect(await call()).toMatchObject({ kind: 'answered', response: { status } })
})

test('the answers of other requests, and a second answer, change nothing', async () => {
  const other = { content: [{ type: 'text', text: 'of another request' }] }
  const { call } = await calling((received, response) => {
    if (answerDiscover(received, response)) return
    const write = beginEvents(response)
    for (const id of ['discover', '', null, 1, `${received.id}x`, [received.id]]) {
      write({ jsonrpc: '2.0', id, result: other })
    }
    write({ jsonrpc: '2.0', id: received.id, result: DONE })
    write({ jsonrpc: '2.0', id: received.id, result: other })
  })

  expect(readBody(await call())).toBe('{"content":[{"type":"text","text":"done"}]}')
})

test('replies that the server does not take end with the call', async () => {
  let open = 0
  const { call } = await calling((received: Received, response) => {
    if (answerHandshake(received, response)) return
    if (received.method === '-') {
      open += 1
      response.on('close', () => {
        open -= 1
      })
      if (open === 3) finish()
      return
    }
    const write = beginEvents(response)
    for (let id = 1; id <= 3; id += 1) write({ jsonrpc: '2.0', id, method: 'ping' })
    finish = () => write({ jsonrpc: '2.0', id: received.id, result: DONE })
  })
  let finish = () => {}

  expect(await call()).toMatchObject({ kind: 'answered' })
  await expect.poll(() => open).toBe(0)
})

test('a text of a server is handed on whole, because a cut could leave half of a secret', async () => {
  const long = `${' '.repeat(480)}secret-value-of-a-user-that-is-long${'x'.repeat(300)}`
  const messages: unknown[] = []
  const { call } = await calling((received, response) => {
    if (answerDiscover(received, response)) return
    const { _meta: meta } = received.params as { _meta: { progressToken: string } }
    const write = beginEvents(response)
    const params = { progressToken: meta.progressToken, progress: 1, message: long }
    write({ jsonrpc: '2.0', method: 'notifications/progress', params })
    write({ jsonrpc: '2.0', id: received.id, result: DONE })
  })
  await call({}, { onProgress: ({ message }) => void messages.push(message) })
  expect(messages).toEqual([long])

  const refusing = await calling((received, response) => {
    answerError(response, received, { code: -32603, message: long })
  })
  expect(readBody(await refusing.call())).toContain('secret-value-of-a-user-that-is-long')
})

test('a version is not quoted in part', async () => {
  const { call } = await calling((received, response) => {
    answerHandshake(received, response, { version: `${'v'.repeat(50)}secret-value-of-a-user` })
  })

  expect(await call()).toMatchObject({
    kind: 'refused_target',
    detail: expect.stringContaining('chose a version of 72 characters in its answer'),
  })
})

test('a list counts everything that its pages bring, and not its entries alone', async () => {
  const { list } = await calling((received, response) => {
    if (answerDiscover(received, response)) return
    const cursor = String(received.params['cursor'] ?? '')
    const _meta = { padding: 'x'.repeat(30_000) }
    answerResult(response, received, { tools: [], _meta, nextCursor: `${cursor}x` })
  })

  expect(await list()).toEqual({
    ok: false,
    error: { kind: 'failed', detail: 'lists more than 100000 bytes of tools' },
  })
})

test.each([
  { chars: 4_096, ok: true },
  { chars: 4_097, ok: false },
])('a cursor of $chars characters is followed: $ok', async ({ chars, ok }) => {
  const { list } = await calling((received, response) => {
    if (answerDiscover(received, response)) return
    const more = received.params['cursor'] === undefined ? { nextCursor: 'c'.repeat(chars) } : {}
    answerResult(response, received, { tools: [], ...more })
  })

  expect(await list()).toMatchObject(
    ok ? { ok } : { ok, error: { detail: 'answered a nextCursor of over 4096 characters' } },
  )
})
