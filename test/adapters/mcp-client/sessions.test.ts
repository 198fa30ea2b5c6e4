import { afterEach, expect, test } from 'vitest'
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { nodeSeals } from '../../../adapters/crypto/node-seals.ts'
import type { UpstreamSessions } from '../../../core/ports/upstream-sessions.ts'
import {
  answerDiscover,
  answerHandshake,
  answerResult,
  limitsOf,
  openClient,
  serverAt,
  startScripted,
} from './scripted-server.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

const KEY = { authorization: 'Bearer key-of-the-test' }

/** The store as two processes see it. */
function sharedStore() {
  const items = new Map<string, Uint8Array>()
  const sessions: UpstreamSessions = {
    read: async (id) => items.get(id),
    put: async ({ id, sealed }) => void items.set(id, sealed),
  }
  return { items, shared: { sessions, digests: nodeDigests(), seals: nodeSeals() } }
}

/** A legacy server that opens a session for each `initialize`. */
async function startSessions() {
  let opened = 0
  const server = await startScripted((received, response) => {
    if (received.method === 'initialize') opened += 1
    if (answerHandshake(received, response, { sessionId: `session-${opened}` })) return
    answerResult(response, received, { tools: [] })
  })
  closers.push(server.close)
  return server
}

function process(url: string, more: Parameters<typeof openClient>[1]) {
  const client = openClient([url], more)
  closers.push(client.close)
  return (uid: string, headers: { readonly [name: string]: string } = KEY) =>
    client.servers.list(serverAt(url, { headers, uid }), 'tools', limitsOf())
}

test('a second process goes on in the session that the first one opened', async () => {
  const server = await startSessions()
  const { items, shared } = sharedStore()
  await process(server.url, shared)('ada')
  const before = server.log.length
  await process(server.url, shared)('ada')

  expect(server.log.slice(before)).toEqual(['POST tools/list'])
  expect(server.received.at(-1)?.headers['mcp-session-id']).toBe('session-1')
  const stored = [...items].map(([id, sealed]) => id + Buffer.from(sealed).toString('latin1'))
  expect(stored.join()).not.toContain('session-1')
})

test.each([
  { title: 'another user with the same credential', uid: 'ben', headers: KEY },
  { title: 'the same user with another credential', uid: 'ada', headers: { authorization: 'x' } },
])('$title has a session of its own', async ({ headers, uid }) => {
  const server = await startSessions()
  const { shared } = sharedStore()
  const list = process(server.url, shared)
  await list('ada')
  await list(uid, headers)
  await process(server.url, shared)(uid, headers)

  expect(server.received.at(-1)?.headers['mcp-session-id']).toBe('session-2')
})

test('a session is not used 10 minutes after its last use', async () => {
  const server = await startSessions()
  let nowMs = 1_800_000_000_000
  const list = process(server.url, { clock: { nowMs: () => nowMs } })
  const opened = () => server.log.filter((line) => line === 'POST initialize').length
  await list('ada')
  nowMs += 599_999
  await list('ada')
  nowMs += 599_999
  await list('ada')
  expect(opened()).toBe(1)
  nowMs += 600_000
  await list('ada')
  expect(opened()).toBe(2)
})

test('a revision is asked for again an hour after its last use', async () => {
  const server = await startScripted((received, response) => {
    if (!answerDiscover(received, response)) answerResult(response, received, { tools: [] })
  })
  closers.push(server.close)
  let nowMs = 1_800_000_000_000
  const list = process(server.url, { clock: { nowMs: () => nowMs } })
  const asked = () => server.log.filter((line) => line === 'POST server/discover').length
  await list('ada')
  nowMs += 3_599_999
  await list('ada')
  expect(asked()).toBe(1)
  nowMs += 3_600_000
  await list('ada')
  expect(asked()).toBe(2)
})

test('a process without the store opens a session of its own', async () => {
  const server = await startSessions()
  const { shared } = sharedStore()
  const down = () => Promise.reject(new Error('down'))
  const broken = { ...shared, sessions: { read: down, put: down } }

  expect(await process(server.url, broken)('ada')).toMatchObject({ ok: true })
})
