import { createGzip } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import type { McpCall, UpstreamAnswer } from '../../../core/call/upstream.ts'
import type { UpstreamLimits } from '../../../core/ports/outside.ts'
import {
  answerDiscover,
  answerError,
  answerHandshake,
  answerResult,
  beginEvents,
  openClient,
  type Script,
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
  const call = (
    more: Partial<McpCall> = {},
    limits: Partial<UpstreamLimits> = {},
    headers: { readonly [name: string]: string } = {},
  ) => {
    const mcp = { tool: 'add', arguments: { a: 1 }, capabilities: {}, ...more }
    const request = { method: 'POST', url: server.url, headers, body: undefined, mcp } as const
    const signal = new AbortController().signal
    return client.tools.send(request, { responseBytesMax: 100_000, signal, uid: 'ada', ...limits })
  }
  return { call, server }
}

function show(answer: UpstreamAnswer): unknown {
  if (answer.kind !== 'answered') return answer
  const { body, mediaType, status } = answer.response
  return { status, mediaType, body: Buffer.from(body).toString() }
}

const DONE = { content: [{ type: 'text', text: 'done' }] }

test('a modern call has its own envelope, the key, the answers, and headers of the body', async () => {
  const { call, server } = await calling((received, response) => {
    if (!answerDiscover(received, response)) answerResult(response, received, DONE)
  })
  const elicitation = { form: {} }
  await call({
    tool: 'größer',
    capabilities: { elicitation },
    idempotencyKey: 'k-1',
    input: { responses: { q: { action: 'accept' } }, state: 's' },
  })

  expect(server.received[1]?.headers).toMatchObject({
    'mcp-method': 'tools/call',
    'mcp-name': '=?base64?Z3LDtsOfZXI=?=',
  })
  expect(server.received[1]?.params).toEqual({
    name: 'größer',
    arguments: { a: 1 },
    inputResponses: { q: { action: 'accept' } },
    requestState: 's',
    _meta: {
      'skillgate/idempotency-key': 'k-1',
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'skillgate', version: '1.2.3' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation },
    },
  })
})

test('a legacy call has nothing that only modern servers know', async () => {
  const { call, server } = await calling((received, response) => {
    if (!answerHandshake(received, response)) answerResult(response, received, DONE)
  })
  await call({ capabilities: { elicitation: {} }, input: { responses: { q: {} }, state: 's' } })

  expect(server.received.at(-1)?.params).toEqual({ name: 'add', arguments: { a: 1 } })
  expect(server.received[1]?.params['capabilities']).toEqual({})
})

test('headers that repeat arguments go with the call alone, and begin no new session', async () => {
  const { call, server } = await calling((received, response) => {
    if (!answerDiscover(received, response)) answerResult(response, received, DONE)
  })
  await call({}, {}, { 'mcp-param-city': 'Oslo' })
  await call({}, {}, { 'mcp-param-city': 'Rome' })

  expect(server.log).toEqual(['POST server/discover', 'POST tools/call', 'POST tools/call'])
  expect(server.received.map(({ headers }) => headers['mcp-param-city'])).toEqual([
    undefined,
    'Oslo',
    'Rome',
  ])
})

test('a result that has a status of its own is handed on whole', async () => {
  const { call } = await calling((received, response) => {
    if (answerDiscover(received, response)) return
    answerResult(response, received, { ...DONE, status: 'completed', result: {} })
  })

  expect(show(await call())).toMatchObject({
    body: '{"content":[{"type":"text","text":"done"}],"status":"completed","result":{}}',
  })
})

test('a server that speaks no Streamable HTTP is explained', async () => {
  const { call } = await calling((_received, response) => {
    response.writeHead(405).end()
  })

  expect(await call()).toEqual({
    kind: 'refused_target',
    detail:
      'the MCP server answered 405 to initialize: its URL must be a Streamable HTTP endpoint of MCP 2025-03-26 or later; HTTP+SSE (2024-11-05) is not spoken',
  })
})

test('numbers of a result keep all their digits', async () => {
  const { call } = await calling((received, response) => {
    if (answerDiscover(received, response)) return
    const result = '{"content":[],"structuredContent":{"n":12345678901234567890,"m":1e400}}'
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(received.id)},"result":${result}}`)
  })

  expect(show(await call())).toEqual({
    status: 200,
    mediaType: 'application/json',
    body: '{"content":[],"structuredContent":{"n":12345678901234567890,"m":1e400}}',
  })
})

test.each([
  { title: 'is not sent again', more: {}, sends: 1 },
  { title: 'of an idempotent tool is sent once more', more: { isIdempotent: true }, sends: 2 },
] as const)('a call whose answer is lost $title', async ({ more, sends }) => {
  const { call, server } = await calling((received, response) => {
    if (!answerDiscover(received, response)) response.destroy()
  })

  expect(await call(more)).toMatchObject({ kind: 'unreachable' })
  expect(server.log.filter((line) => line === 'POST tools/call').length).toBe(sends)
})

test('a call that is cut is cancelled at a legacy server by its own id', async () => {
  const { call, server } = await calling((received, response) => {
    if (answerHandshake(received, response, { sessionId: 's' })) return
    if (received.method === 'notifications/cancelled') response.writeHead(202).end()
  })
  const cut = new AbortController()
  const answer = call({}, { signal: cut.signal })
  await expect.poll(() => server.log.at(-1)).toBe('POST tools/call')
  cut.abort('cancelled')

  expect(await answer).toEqual({ kind: 'cut' })
  await expect.poll(() => server.log.at(-1)).toBe('POST notifications/cancelled')
  expect(server.received.at(-1)?.params['requestId']).toBe(server.received.at(-2)?.id)
  expect(server.received.at(-1)?.headers['mcp-session-id']).toBe('s')
})

test('progress that increases is handed on, and that of other requests is not', async () => {
  const { call } = await calling((received, response) => {
    if (answerDiscover(received, response)) return
    const { _meta: meta } = received.params as { _meta: { progressToken: string } }
    const write = beginEvents(response)
    for (const progress of [1, 3, 2, 3, 'x', 4]) {
      const params = { progressToken: meta.progressToken, progress, total: 4, message: 'm' }
      write({ jsonrpc: '2.0', method: 'notifications/progress', params })
    }
    const other = { progressToken: 'other', progress: 9 }
    write({ jsonrpc: '2.0', method: 'notifications/progress', params: other })
    write({ jsonrpc: '2.0', id: received.id, result: DONE })
  })
  const seen: number[] = []
  await call({}, { onProgress: ({ progress }) => void seen.push(progress) })

  expect(seen).toEqual([1, 3, 4])
})

test('requests of a legacy server are answered, up to 16 of them', async () => {
  const { call, server } = await calling((received, response) => {
    if (answerHandshake(received, response)) return
    if (received.method === '-') {
      response.writeHead(202).end()
      if (server.log.filter((line) => line === 'POST -').length === 16) finish()
      return
    }
    const write = beginEvents(response)
    write({ jsonrpc: '2.0', id: 'p', method: 'ping' })
    for (let id = 1; id <= 30; id += 1) write({ jsonrpc: '2.0', id, method: 'roots/list' })
    finish = () => write({ jsonrpc: '2.0', id: received.id, result: DONE })
  })
  let finish = () => {}

  expect(show(await call())).toMatchObject({ status: 200 })
  const replies = server.received.filter(({ method }) => method === '-').map(({ body }) => body)
  expect(replies.length).toBe(16)
  expect(replies).toContainEqual({ jsonrpc: '2.0', id: 'p', result: {} })
  expect(replies).toContainEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32601, message: 'Method not found: this client takes no roots/list.' },
  })
})

test('a question of a legacy server that nobody can be asked is refused, and named, since servers hand the words on', async () => {
  const { call, server } = await calling((received, response) => {
    if (answerHandshake(received, response)) return
    if (received.method === '-') {
      response.writeHead(202).end()
      return finish()
    }
    const write = beginEvents(response)
    const params = { message: 'Who are you?', requestedSchema: { type: 'object' } }
    write({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params })
    finish = () => write({ jsonrpc: '2.0', id: received.id, result: DONE })
  })
  let finish = () => {}
  await call()

  expect(server.received.find(({ method }) => method === '-')?.body).toEqual({
    jsonrpc: '2.0',
    id: 'q',
    error: { code: -32601, message: 'Method not found: this client takes no elicitation/create.' },
  })
})

test('a page that the user must open first becomes a question', async () => {
  const question = { mode: 'url', url: 'https://a.example/', message: 'Log in', elicitationId: 'e' }
  const { call } = await calling((received, response) => {
    if (answerHandshake(received, response)) return
    const error = { code: -32042, message: 'Needed', data: { elicitations: [question] } }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: received.id, error }))
  })
  const answer = show(await call()) as { body: string }

  expect(JSON.parse(answer.body)).toEqual({
    resultType: 'input_required',
    inputRequests: { 'url-1': { method: 'elicitation/create', params: question } },
  })
})

test('an error of the server has a type of its own', async () => {
  const { call } = await calling((received, response) => {
    if (answerDiscover(received, response)) return
    answerError(response, received, { code: -32602, message: 'Unknown tool' })
  })

  expect(show(await call())).toEqual({
    status: 200,
    mediaType: 'application/vnd.skillgate.mcp-error+json',
    body: '{"code":-32602,"message":"Unknown tool"}',
  })
})

test('a refused credential is the answer of the server, with its challenge', async () => {
  const { call } = await calling((_received, response) => {
    response.writeHead(401, { 'www-authenticate': 'Bearer x' }).end()
  })

  expect(await call()).toMatchObject({
    kind: 'answered',
    response: { status: 401, headers: { 'www-authenticate': 'Bearer x' } },
  })
})

test('a task is accepted, asked about and cancelled by messages of its server', async () => {
  const states = ['working', 'completed', 'failed']
  const { call, server } = await calling((received, response) => {
    if (answerDiscover(received, response)) return
    if (received.method === 'tools/call') {
      return answerResult(response, received, {
        resultType: 'task',
        taskId: 't',
        status: 'working',
      })
    }
    const status = states.shift()
    const more = status === 'completed' ? { result: DONE } : {}
    const error = status === 'failed' ? { error: { code: -32603, message: 'broke' } } : {}
    answerResult(response, received, {
      resultType: 'complete',
      taskId: 't',
      status,
      ...more,
      ...error,
    })
  })
  const get = { task: { method: 'tasks/get', taskId: 't' } } as const

  expect(show(await call({ takesTask: true }))).toMatchObject({ status: 202 })
  expect(show(await call(get))).toMatchObject({ body: '{"status":"working"}' })
  expect(show(await call(get))).toMatchObject({
    body: '{"content":[{"type":"text","text":"done"}],"status":"completed"}',
  })
  expect(show(await call(get))).toMatchObject({
    body: '{"status":"failed","statusMessage":"broke"}',
  })
  await call({ task: { method: 'tasks/cancel', taskId: 't' } })
  expect(server.received.at(-1)?.headers).toMatchObject({
    'mcp-method': 'tasks/cancel',
    'mcp-name': 't',
  })
  const declared = server.received.slice(1).map(({ params }) => JSON.stringify(params['_meta']))
  expect(declared.every((meta) => meta.includes('io.modelcontextprotocol/tasks'))).toBe(true)
})

test('a stream that grows past the limit ends the call', async () => {
  const { call } = await calling((received, response) => {
    if (answerDiscover(received, response)) return
    const write = beginEvents(response)
    const params = { data: 'x'.repeat(1_000) }
    const timer = setInterval(
      () => write({ jsonrpc: '2.0', method: 'notifications/message', params }),
      1,
    )
    response.on('close', () => clearInterval(timer))
  })

  expect(await call({}, { responseBytesMax: 20_000 })).toEqual({
    kind: 'too_large',
    bytesMax: 20_000,
  })
})

test.each([
  { title: 'is unpacked as it arrives', chars: 1_000, answered: true },
  { title: 'that unpacks past the limit ends the call', chars: 5_000_000, answered: false },
])('a gzipped stream $title', async ({ answered, chars }) => {
  const { call } = await calling((received, response) => {
    if (answerDiscover(received, response)) return
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
    const packed = createGzip()
    packed.pipe(response)
    packed.write(`: ${'x'.repeat(chars)}\n`)
    packed.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: received.id, result: DONE })}\n\n`)
    // Without an end: the event alone must end the wait.
    packed.flush()
  })
  const expected = answered ? { kind: 'answered' } : { kind: 'too_large' }

  expect(await call()).toMatchObject(expected)
})
