/** What is kept of servers and their texts: each limit, and one past it. */
import { afterEach, expect, test } from 'vitest'
import { keepPeers } from '../../../adapters/mcp-client/kept-peers.ts'
import { answerResult, limitsOf, openClient, serverAt, startScripted } from './scripted-server.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

test.each([
  { title: 'up to the limit', name: 256, instructions: 8_192, kept: [256, 256, 8_192] },
  { title: 'no longer', name: 257, instructions: 8_193, kept: [undefined, undefined, undefined] },
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
