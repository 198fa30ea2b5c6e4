// The sse bundle: the chunks that leave the function, and the agent's view of them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBareStream, toolCall } from './agents.ts'
import { newUser, syncSkills, type User } from './people.ts'
import { startWorld, type World } from './world.ts'

let world: World
let ada: User
beforeAll(async () => {
  // The platform at its worst: each small chunk is held until the next write. Abandoned streams
  // stay open here, and on a busy machine the invocation of an answered POST does not end at once.
  world = await startWorld({ holdLastChunk: true, sse: { concurrencyMax: 40 } })
  ada = await newUser(world, 'ada', 10)
  await syncSkills(world)
})
afterAll(() => world.stop())

describe('a stream', () => {
  test('begins with status and headers, and the whole first block before anything else', async () => {
    const stream = await openBareStream(world, ada.key)
    const { headers, status } = stream.response
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    await world.sse.timeline.first('chunk', stream.requestId)
    const [given, prelude, first] = world.sse.timeline.of(stream.requestId)
    expect([given?.kind, prelude?.kind, first?.kind]).toEqual(['given', 'prelude', 'chunk'])
    expect(first?.text).toMatch(
      /^retry: 1000\nevent: endpoint\ndata: \/v1\/mcp\/messages\?session_id=[A-Za-z0-9_-]{43}\n\n$/,
    )
    stream.leave()
  })

  test('sends each event and its comment as chunks of their own, so that none is held back', async () => {
    const stream = await openBareStream(world, ada.key)
    const accepted = await stream.post({ jsonrpc: '2.0', id: 0, method: 'ping' })
    expect([accepted.status, await accepted.text()]).toEqual([202, 'Accepted'])
    const called = await stream.post(toolCall('two', 'sg_echo', { text: 'hello' }))
    expect(called.status).toBe(202)
    const replies = [await stream.nextReply(), await stream.nextReply()]
    expect(replies.map((reply) => reply?.['id']).sort()).toEqual([0, 'two'])
    const chunks = () =>
      world.sse.timeline.of(stream.requestId).filter(({ kind }) => kind === 'chunk')
    // News of the tools that were just made, with its comment, comes whenever it comes.
    const isNews = (text?: string) => text?.includes('notifications/tools/list_changed') === true
    const readTexts = () =>
      chunks()
        .map(({ text }) => text)
        .filter((text, at, all) => !isNews(text) && !isNews(all[at - 1]))
    const texts = readTexts()
    const firstLines = texts.map((text) => text?.split('\n')[0])
    // On a busy machine a heartbeat is another comment after one.
    expect(firstLines.filter((line, at) => line !== ':' || firstLines[at - 1] !== ':')).toEqual([
      'retry: 1000',
      ':',
      'event: message',
      ':',
      'event: message',
      ':',
    ])
    const comments = texts.filter((text) => text?.startsWith(':'))
    expect(new Set(comments)).toEqual(new Set([':\n\n']))
    // The client gets the comment that was held, and the next heartbeat is a chunk of its own.
    expect(await stream.nextBlock()).toBe(':\n\n')
    await expect.poll(() => readTexts()[texts.length]).toBe(':\n\n')
    stream.leave()
  })
})

describe('the other answers of the SSE function', () => {
  test('the other answers are problems with the right status', async () => {
    const base = world.sseUrl.url
    const key = { authorization: `Bearer sgk_${'x'.repeat(43)}` }
    const json = { 'content-type': 'application/json' }
    const session = `${base}/v1/mcp/messages?session_id=${'s'.repeat(43)}`
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    const answers = [
      await fetch(`${base}/v1/mcp/sse`, { method: 'POST', headers: json, body: '{}' }),
      await fetch(`${base}/v1/mcp/sse`, { headers: key }),
      await fetch(`${base}/v1/mcp/messages?session_id=x`, {
        method: 'POST',
        headers: json,
        body: ping,
      }),
      await fetch(session, { method: 'POST', headers: json, body: ping }),
      await fetch(session, { method: 'POST', headers: json, body: '{' }),
      await fetch(`${base}/.well-known/oauth-protected-resource`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([405, 401, 400, 404, 400, 404])
    expect(answers[0]?.headers.get('allow')).toBe('GET')
    expect(answers[1]?.headers.get('x-amzn-remapped-www-authenticate')).toMatch(/^Bearer/)
  })

  test('an event of another kind gets 502 from the platform, and the function works on', async () => {
    const answer = await world.sse.invoke({ not: 'an event' })
    expect(answer.kind).toBe('failed')
    const stream = await openBareStream(world, ada.key)
    expect(stream.response.status).toBe(200)
    stream.leave()
  })
})
