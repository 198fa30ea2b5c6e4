// The mcp bundle: Streamable HTTP through a function URL, from JSON answers to listen streams, and
// events that the platform does not pass on. Calls are made by this function itself.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { creditsAfterwards, newUser, skillOf, syncSkill, syncSkills, type User } from './people.ts'
import { postModern } from './posts.ts'
import { startWorld, type World } from './world.ts'

/** A listen stream ends 20 s before its function would: after 8 s here. */
const TIMEOUT_MS = 28_000
const CHANGED = 'notifications/tools/list_changed'

let world: World
let ada: User
beforeAll(async () => {
  // The platform at its worst: each small chunk is held until the next write.
  world = await startWorld({
    holdLastChunk: true,
    mcp: { timeoutMs: TIMEOUT_MS },
  })
  ada = await newUser(world, 'ada', 10)
  await syncSkills(world)
})
afterAll(() => world.stop())

describe('the public catalog', () => {
  test('the catalog passes the function URL with its validator, and 304 follows it', async () => {
    const first = await fetch(`${world.mcpUrl.url}/catalog`)
    expect([first.status, first.headers.get('cache-control')]).toEqual([
      200,
      expect.stringMatching(/^public, max-age=[1-6]\d?$/),
    ])
    const { tools } = (await first.json()) as { tools: object[] }
    expect(tools).toContainEqual(expect.objectContaining({ name: 'sg_echo', version: 1 }))
    const etag = first.headers.get('etag') ?? ''
    const again = await fetch(`${world.mcpUrl.url}/catalog`, { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
    const head = await fetch(`${world.mcpUrl.url}/catalog`, { method: 'HEAD' })
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', etag])
  })
})

describe('a call', () => {
  test('leaves the function as one chunk when its answer is one JSON document, and is made by the function itself', async () => {
    const params = { name: 'sg_echo', arguments: { text: 'x' } }
    const called = await postModern(world, ada.key, 'tools/call', params)
    expect(called.response.headers.get('content-type')).toBe('application/json')
    expect(await called.rest()).toHaveLength(1)
    await world.mcp.timeline.first('nextPoll', called.requestId)
    const kinds = world.mcp.timeline.kinds(called.requestId)
    expect(kinds.filter((kind) => kind === 'chunk')).toHaveLength(1)
    const others = [world.messages, world.execute].flatMap(({ timeline }) => timeline.entries)
    expect(others.filter(({ kind }) => kind === 'given')).toEqual([])
  })

  test('a long answer leaves the function packed for a client that takes gzip, in one chunk, and as it is for another', async () => {
    const text = 'a long text '.repeat(400)
    const params = { name: 'sg_echo', arguments: { text } }
    const called = await postModern(world, ada.key, 'tools/call', params)
    expect(called.response.headers.get('content-encoding')).toBe('gzip')
    expect(await called.rest()).toEqual([
      expect.objectContaining({ result: expect.objectContaining({ isError: false }) }),
    ])
    await world.mcp.timeline.first('nextPoll', called.requestId)
    const kinds = world.mcp.timeline.kinds(called.requestId)
    expect(kinds.filter((kind) => kind === 'chunk')).toHaveLength(1)
    const plain = await fetch(`${world.mcpUrl.url}/mcp`, {
      method: 'POST',
      headers: {
        'accept-encoding': 'identity',
        authorization: `Bearer ${ada.key}`,
        'content-type': 'application/json',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 8, method: 'tools/call', params }),
    })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await plain.json()).toMatchObject({ id: 8, result: { isError: false } })
  })

  test('is settled behind its answer, and before its invocation ends', async () => {
    const dan = await newUser(world, 'dan', 2)
    const params = { name: 'sg_echo', arguments: { text: 'x' } }
    const called = await postModern(world, dan.key, 'tools/call', params)
    expect((await called.rest()).at(-1)).toMatchObject({ result: { isError: false } })
    await world.mcp.timeline.first('nextPoll', called.requestId)
    expect(await creditsAfterwards(world, dan)).toEqual({ credits: 1.5, creditsOnHold: 0 })
  })

  test('with a progress token reports progress while it runs, although chunks are held back', async () => {
    const asked = { name: 'sg_hold', arguments: { step: 'slow' }, _meta: { progressToken: 'p' } }
    const called = await postModern(world, ada.key, 'tools/call', asked)
    await world.upstream.arrived('slow')
    expect(called.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const progress = { method: 'notifications/progress' }
    expect(await called.next()).toMatchObject({ ...progress, params: { progress: 0, total: 15 } })
    expect(await called.next()).toMatchObject({ ...progress, params: { progress: 1 } })
    world.upstream.open('slow')
    expect((await called.rest()).at(-1)).toMatchObject({ id: 7, result: { isError: false } })
  })

  test('without a started environment is answered all the same', async () => {
    await world.mcp.killAll()
    const asked = { name: 'sg_echo', arguments: { text: 'cold' } }
    const called = await postModern(world, ada.key, 'tools/call', asked)
    expect(await called.next()).toMatchObject({ result: { isError: false } })
    const starts = world.mcp.timeline.entries.filter(({ kind }) => kind === 'started')
    expect(starts.length).toBeGreaterThan(1)
    expect(world.mcp.log()).toContain('"event":"cold-start"')
  })

  test('whose function dies breaks off, and its price stays on hold for the sweep', async () => {
    const bob = await newUser(world, 'bob', 2)
    const asked = { name: 'sg_hold', arguments: { step: 'dies' } }
    const calling = postModern(world, bob.key, 'tools/call', asked)
    await world.upstream.arrived('dies')
    await world.mcp.killAll()
    expect((await calling).response.status).toBe(502)
    expect(await creditsAfterwards(world, bob)).toEqual({ credits: 1, creditsOnHold: 1 })
  })
})

describe('the other answers of the MCP function', () => {
  test('the other answers have their status, and the challenge under the name that the platform gives it', async () => {
    const url = `${world.mcpUrl.url}/mcp`
    const json = { 'content-type': 'application/json' }
    const post = { method: 'POST', headers: json }
    const wrong = { ...json, authorization: `Bearer sgk_${'x'.repeat(43)}` }
    const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    const note = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    const answers = [
      await fetch(url, { ...post, body: list, headers: wrong }),
      await fetch(url),
      await fetch(url, { ...post, body: note }),
      await fetch(url, { ...post, body: '{' }),
      await fetch(`${world.mcpUrl.url}/elsewhere`, { ...post, body: list }),
      await fetch(`${world.mcpUrl.url}/v1/mcp/`, { ...post, body: list }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 405, 202, 400, 404, 200])
    expect(answers[0]?.headers.get('x-amzn-remapped-www-authenticate')).toMatch(/^Bearer/)
    expect(answers[1]?.headers.get('allow')).toBe('POST, OPTIONS')
    expect(await answers[2]?.text()).toBe('')
  })

  test('an event of another kind gets 502 from the platform, and the function works on', async () => {
    const answer = await world.mcp.invoke({ not: 'an event' })
    expect(answer.kind).toBe('failed')
    const found = await postModern(world, undefined, 'server/discover')
    expect(found.response.status).toBe(200)
    await found.rest()
  })
})

describe('a listen stream', () => {
  const listen = () =>
    postModern(world, ada.key, 'subscriptions/listen', {
      notifications: { toolsListChanged: true },
    })

  test('announces a new tool, and ends itself before its function would be ended', async () => {
    const stream = await listen()
    const acknowledged = { method: 'notifications/subscriptions/acknowledged' }
    expect(await stream.next()).toMatchObject(acknowledged)
    await syncSkill(world, { ...skillOf(world, 'echo', 0), id: 'sg_new' })
    expect(await stream.next()).toMatchObject({ method: CHANGED })
    expect((await stream.rest()).at(-1)).toMatchObject({
      id: 7,
      result: { resultType: 'complete' },
    })
    await world.mcp.timeline.first('nextPoll', stream.requestId)
    expect(world.mcp.timeline.kinds(stream.requestId)).not.toContain('failed')
  })

  test('whose client leaves stays until its end, since the platform does not report that, and calls go on beside it', async () => {
    const stream = await listen()
    await stream.next()
    stream.leave()
    const called = await postModern(world, ada.key, 'tools/call', { name: 'sg_account' })
    expect(await called.next()).toMatchObject({ result: { isError: false } })
    expect(world.mcp.timeline.kinds(stream.requestId)).not.toContain('responseEnd')
    await world.mcp.timeline.first('nextPoll', stream.requestId)
    expect(world.mcp.timeline.kinds(stream.requestId)).not.toContain('failed')
  })
})
