/** What is kept of servers and their texts: each limit, and one past it. */
import { afterEach, expect, test } from 'vitest'
import { keepPeers } from '../../../adapters/mcp-client/kept-peers.ts'
import {
  answerDiscover,
  answerResult,
  beginEvents,
  limitsOf,
  openClient,
  serverAt,
  startScripted,
} from './scripted-server.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

test('a message of progress is cut after 500 characters', async () => {
  const server = await startScripted((received, response) => {
    if (answerDiscover(received, response)) return
    const { _meta: meta } = received.params as { _meta: { progressToken: string } }
    const write = beginEvents(response)
    for (const length of [500, 501]) {
      const message = 'm'.repeat(length)
      const params = { progressToken: meta.progressToken, progress: length, message }
      write({ jsonrpc: '2.0', method: 'notifications/progress', params })
    }
    write({ jsonrpc: '2.0', id: received.id, result: { content: [] } })
  })
  const client = openClient([server.url])
  closers.push(server.close, client.close)
  const lengths: unknown[] = []
  const mcp = { tool: 'add', arguments: {}, capabilities: {} }
  await client.tools.send(
    { method: 'POST', url: server.url, headers: {}, body: undefined, mcp },
    {
      responseBytesMax: 100_000,
      signal: new AbortController().signal,
      uid: 'ada',
      onProgress: ({ message, progress }) => lengths.push([progress, message?.length]),
    },
  )

  expect(lengths).toEqual([
    [500, 500],
    [501, 500],
  ])
})

test.each([
  { title: 'whole', name: 256, instructions: 8_192, kept: [256, 256, 8_192] },
  { title: 'cut', name: 257, instructions: 8_193, kept: [256, 256, 8_192] },
])('name, version and instructions of a server are kept $title', async (sizes) => {
  const server = await startScripted((received, response) => {
    const text = 'x'.repeat(sizes.name)
    const result =
      received.method === 'server/discover'
        ? {
            supportedVersions: ['2026-07-28'],
            instructions: 'i'.repeat(sizes.instructions),
            _meta: { 'io.modelcontextprotocol/serverInfo': { name: text, version: text } },
          }
        : { tools: [] }
    answerResult(response, received, result)
  })
  const client = openClient([server.url])
  closers.push(server.close, client.close)
  const listed = await client.servers.list(serverAt(server.url), 'tools', limitsOf())
  const { instructions, serverInfo } = listed.ok ? listed.value : {}

  expect([serverInfo?.name.length, serverInfo?.version.length, instructions?.length]).toEqual(
    sizes.kept,
  )
})

test('a process knows the 1,000 servers that it met last', async () => {
  const peers = keepPeers({ nowMs: () => 0 }, undefined)
  for (let at = 0; at < 1_000; at += 1) peers.keep(`server ${at}`, { version: '2026-07-28' })
  expect(await peers.find('server 0')).toEqual({ version: '2026-07-28' })

  peers.keep('server 1000', { version: '2026-07-28' })
  expect(await peers.find('server 0')).toBeUndefined()
  expect(await peers.find('server 1')).toBeDefined()
})
