/** Questions that a server with sessions sends on a GET stream, beside the stream of the call. */
import { afterEach, expect, test, vi } from 'vitest'
import type { UpstreamAsker, UpstreamLimits } from '../../../core/ports/outside.ts'
import {
  answerHandshake,
  answerResult,
  beginEvents,
  openClient,
  type Script,
  startScripted,
} from './scripted-server.ts'

const closers: (() => void)[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const close of closers.splice(0)) close()
})

const DONE = { content: [{ type: 'text', text: 'done' }] }
const QUESTION = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } }
const ACCEPTED = { action: 'accept', content: { name: 'Ada' } }
const ASKER: UpstreamAsker = {
  capabilities: { elicitation: {} },
  ask: ({ method }) => Promise.resolve({ ...ACCEPTED, method }),
}

async function calling(script: Script, sessionId: string | undefined = 's-1') {
  const server = await startScripted((received, response) => {
    const session = sessionId === '' ? {} : { sessionId }
    if (!answerHandshake(received, response, session)) script(received, response)
  })
  const client = openClient([server.url])
  closers.push(server.close, client.close)
  const call = (limits: Partial<UpstreamLimits> = {}) => {
    const mcp = { tool: 'greet', arguments: {}, capabilities: {} }
    const request = {
      method: 'POST',
      url: server.url,
      headers: { 'x-key': 'k' },
      body: undefined,
      mcp,
    } as const
    const signal = new AbortController().signal
    const all = { responseBytesMax: 100_000, signal, uid: 'ada', asker: ASKER, ...limits }
    return client.tools.send(request, all)
  }
  /** What was sent after the handshake. */
  const sent = () => server.log.filter((line) => !/discover|initialize/.test(line))
  return { call, sent, server }
}

test('a question on the GET stream of a session is answered while the call runs', async () => {
  let ask = () => {}
  let finish = () => {}
  let isStreamOver = false
  const { call, sent, server } = await calling((received, response) => {
    if (received.http === 'GET') {
      const write = beginEvents(response)
      response.flushHeaders()
      response.on('close', () => {
        isStreamOver = true
      })
      ask = () =>
        write({ jsonrpc: '2.0', id: 7, method: 'elicitation/create', params: QUESTION }, 'e-1')
    } else if (received.method === 'tools/call') {
      finish = () => answerResult(response, received, DONE)
      ask()
    } else {
      response.writeHead(202).end()
      finish()
    }
  })

  expect(await call()).toMatchObject({ kind: 'answered', response: { status: 200 } })
  expect(sent()).toEqual(['GET -', 'POST tools/call', 'POST -'])
  expect(server.received.at(-1)?.body).toEqual({
    jsonrpc: '2.0',
    id: 7,
    result: { ...ACCEPTED, method: 'elicitation/create' },
  })
  const stream = server.received.find(({ http }) => http === 'GET')
  expect(stream?.headers).toMatchObject({
    accept: 'text/event-stream',
    'mcp-session-id': 's-1',
    'mcp-protocol-version': '2025-11-25',
    'x-key': 'k',
  })
  await expect.poll(() => isStreamOver).toBe(true)
})

test('a server without such streams is asked for one once', async () => {
  const { call, sent } = await calling((received, response) => {
    if (received.http === 'GET') response.writeHead(405).end()
    else answerResult(response, received, DONE)
  })

  for (const _ of [1, 2]) expect(await call()).toMatchObject({ kind: 'answered' })
  expect(sent()).toEqual(['GET -', 'POST tools/call', 'POST tools/call'])
})

test('a server whose stream is taken by another call is asked again by the next call', async () => {
  const { call, sent } = await calling((received, response) => {
    if (received.http === 'GET') response.writeHead(409).end()
    else answerResult(response, received, DONE)
  })

  for (const _ of [1, 2]) expect(await call()).toMatchObject({ kind: 'answered' })
  expect(sent()).toEqual(['GET -', 'POST tools/call', 'GET -', 'POST tools/call'])
})

test('a stream that does not begin delays the call by a second at most', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const asked = Promise.withResolvers<void>()
  const { call, sent } = await calling((received, response) => {
    if (received.http === 'GET') asked.resolve()
    else answerResult(response, received, DONE)
  })
  const answer = call()
  await asked.promise
  await vi.advanceTimersByTimeAsync(999)
  expect(sent()).toEqual(['GET -'])
  await vi.advanceTimersByTimeAsync(1)

  expect(await answer).toMatchObject({ kind: 'answered' })
  expect(sent()).toEqual(['GET -', 'POST tools/call'])
})

test.each([
  { title: 'without a session', sessionId: '', limits: {} },
  { title: 'whose caller cannot be asked', sessionId: 's-1', limits: { asker: undefined } },
])('a call $title opens no stream', async ({ limits, sessionId }) => {
  const { call, sent } = await calling((received, response) => {
    answerResult(response, received, DONE)
  }, sessionId)

  expect(await call(limits)).toMatchObject({ kind: 'answered' })
  expect(sent()).toEqual(['POST tools/call'])
})
