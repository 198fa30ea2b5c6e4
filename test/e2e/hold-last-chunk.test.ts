/**
 * A host that holds the last small chunk of a stream until the next write, as function URLs were
 * reported to do. Replies must not wait for the next heartbeat.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectAgent } from './agent.ts'
import { openRawSession } from './raw-session.ts'
import { startTwin, type Twin } from './twin.ts'

let twin: Twin

beforeAll(async () => {
  twin = await startTwin(['--memory', '--hold-last-chunk'])
})

afterAll(async () => {
  await twin?.stop()
})

test('the host holds the comment after an event back, and sends the event alone', async () => {
  const session = await openRawSession(twin.sse, twin.key)
  await session.post('{"jsonrpc":"2.0","id":1,"method":"ping"}')
  await session.message(() => true)
  const text = session.pieces.map((piece) => piece.text).join('')
  session.close()
  expect(text).toMatch(
    /^retry: 1000\nevent: endpoint\ndata: [^\n]+\n\n:\n\nevent: message\ndata: [^\n]+\n\n$/,
  )
})

test('the client connects and is answered at once all the same, ten times in a row', async () => {
  const agent = await connectAgent(twin.sse, twin.key)
  const called = []
  const tookMs = []
  for (let i = 0; i < 10; i += 1) {
    const startedMs = performance.now()
    called.push(await agent.call('sg_echo', { text: `no. ${i}` }))
    tookMs.push(performance.now() - startedMs)
  }
  await agent.close()
  expect(called.map(({ isError }) => isError)).toEqual(Array(10).fill(false))
  // Replies that wait for heartbeats take 5 s each, but for the first; single ones may be late on a busy machine.
  const [, second] = tookMs.toSorted((a, b) => a - b)
  expect(second).toBeLessThan(4_000)
})
