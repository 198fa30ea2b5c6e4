/** MCP servers on private hosts: each exchange crosses to the function caller, and back when over. */
import { afterEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../../adapters/crypto/system-clock.ts'
import { makeListedAddressCheck } from '../../../adapters/upstream/caller/private-address.ts'
import { upstreamOverInvoke } from '../../../adapters/upstream/caller/private-upstream.ts'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import type { UpstreamLimits } from '../../../core/ports/outside.ts'
import { createCallerDoor } from '../../../lambdas/caller/door.ts'
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
const CONTEXT = { getRemainingTimeInMillis: () => 60_000 }

async function calling(script: Script) {
  const server = await startScripted((received, response) => {
    if (!answerHandshake(received, response, { sessionId: 's' })) script(received, response)
  })
  const http = httpUpstream({
    outboundAllow: [new URL(server.url).host],
    isListedAddress: makeListedAddressCheck(undefined),
  })
  const log = { note: () => {} }
  const door = createCallerDoor({ clock: systemClock(), log, upstream: http })
  const upstream = upstreamOverInvoke(async (text) => {
    const answer = await door(JSON.parse(text), CONTEXT)
    return { kind: 'answered', text: JSON.stringify(answer) }
  })
  const client = openClient([], { upstream })
  closers.push(server.close, () => http.close(), client.close)
  const call = (limits: Partial<UpstreamLimits> = {}) => {
    const mcp = { tool: 'add', arguments: {}, capabilities: {} }
    const request = { method: 'POST', url: server.url, headers: {}, body: undefined, mcp } as const
    const signal = new AbortController().signal
    return client.tools.send(request, { responseBytesMax: 100_000, signal, uid: 'ada', ...limits })
  }
  return { call, server }
}

test('a stream of a private host is read when it is over', async () => {
  const seen: number[] = []
  const { call } = await calling((received, response) => {
    const { _meta: meta } = received.params as { _meta: { progressToken: string } }
    const write = beginEvents(response)
    const params = { progressToken: meta.progressToken, progress: 1 }
    write({ jsonrpc: '2.0', method: 'notifications/progress', params })
    write({ jsonrpc: '2.0', id: received.id, result: DONE })
    response.end()
  })

  expect(await call({ onProgress: ({ progress }) => void seen.push(progress) })).toMatchObject({
    kind: 'answered',
    response: { status: 200, body: Buffer.from(JSON.stringify(DONE)) },
  })
  expect(seen).toEqual([1])
})

test('a call on a private host that takes longer than a connection may is sent once', async () => {
  const arrived = Promise.withResolvers<() => void>()
  const { call, server } = await calling((received, response) => {
    arrived.resolve(() => answerResult(response, received, DONE))
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const answer = call()
  const finish = await arrived.promise
  await vi.advanceTimersByTimeAsync(3_500)
  finish()

  expect(await answer).toMatchObject({ kind: 'answered', response: { status: 200 } })
  expect(server.log.filter((line) => line === 'POST tools/call').length).toBe(1)
})

test('no stream of a session is held on a private host', async () => {
  const { call, server } = await calling((received, response) => {
    answerResult(response, received, DONE)
  })
  const asker = {
    capabilities: { elicitation: {} },
    ask: () => Promise.resolve(undefined),
  }

  expect(await call({ asker })).toMatchObject({ kind: 'answered' })
  expect(server.log.filter((line) => line.startsWith('GET'))).toEqual([])
})
