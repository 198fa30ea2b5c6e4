/**
 * A call that must ask its client first: in its result (2026-07-28), or by requests of ours (before
 * it).
 */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import type { Json, JsonObject } from '../../../core/json/json.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { doorOf, eventsOf, legacy, modern, opened, post, withKey } from './agent.ts'

let world: World
let door: StreamingHandler
let ada: string

beforeEach(async () => {
  world = makeWorld()
  door = doorOf(world)
  ada = await world.user('ada')
  const body = { got: '{{input.responses}}' }
  await world.skill('sg_asks', {
    price: 2,
    config: { method: 'POST', response: { as: 'mcp' }, body },
  })
})

const call = { name: 'sg_asks', arguments: {} }
const QUESTION = { message: 'Which city?', requestedSchema: { type: 'object', properties: {} } }
const ASKS = JSON.stringify({
  resultType: 'input_required',
  inputRequests: { city: { method: 'elicitation/create', params: QUESTION } },
  requestState: 'step-1',
})
const DONE = JSON.stringify({ content: [{ type: 'text', text: 'Sunny in Oslo.' }] })
const OSLO = { action: 'accept', content: { city: 'Oslo' } }

function script(...bodies: string[]): void {
  for (const body of bodies) world.upstream.next({ kind: 'answer', body })
}

/** A legacy call that has asked: its stream, and the id of its question. */
async function asked(version = '2025-11-25', more: { readonly headers?: object } = {}) {
  const sent = legacy('tools/call', call, { id: 5, version, headers: { ...more.headers } })
  const { done, out } = opened(door, withKey(ada, sent))
  await world.clock.settle()
  const question = eventsOf(out).find(({ method }) => method === 'elicitation/create')
  return { done, out, question, id: String(question?.['id']) }
}

function answer(id: Json, members: JsonObject, key: string | undefined = ada) {
  const headers = { 'mcp-protocol-version': '2025-11-25' }
  return post(door, withKey(key, { headers, body: { jsonrpc: '2.0', id, ...members } }))
}

function spent(): Promise<{ free: number; held: number }> {
  return world.credits('ada')
}

describe('a legacy client that is asked', () => {
  // Holds: ASK-1
  test('gets a request on the stream of its call, answers by POST, and pays once', async () => {
    script(ASKS, DONE)
    const { done, id, out, question } = await asked()
    expect(question).toEqual({
      jsonrpc: '2.0',
      id: expect.stringMatching(/^sgi_[\w-]{43}$/),
      method: 'elicitation/create',
      params: QUESTION,
    })
    expect(await spent()).toEqual({ free: 100, held: 0 })
    const accepted = await answer(id, { result: OSLO })
    expect([accepted.status, accepted.text]).toEqual([202, ''])
    await world.clock.advance(2_000)
    await done
    expect(eventsOf(out).at(-1)).toMatchObject({
      id: 5,
      result: { isError: false, content: [{ type: 'text', text: 'Sunny in Oslo.' }] },
    })
    expect(world.upstream.requests[1]?.body).toContain('Oslo')
    expect(await spent()).toEqual({ free: 98, held: 0 })
    expect(world.clock.sleepers()).toBe(0)
  })

  test('may answer with the same key in another header text', async () => {
    script(ASKS, DONE)
    const { done, id, out } = await asked()
    expect((await answer(id, { result: OSLO }, ada.replace('Bearer ', 'bearer  '))).status).toBe(
      202,
    )
    await world.clock.advance(2_000)
    await done
    expect(eventsOf(out).at(-1)).toMatchObject({ id: 5, result: { isError: false } })
    expect(await spent()).toEqual({ free: 98, held: 0 })
  })

  test('that cancels its call is not waited for, and pays nothing', async () => {
    script(ASKS)
    const { done, out } = await asked()
    const params = { requestId: 5 }
    const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params }
    expect((await post(door, withKey(ada, { body }))).status).toBe(202)
    await world.clock.advance(1_000)
    await done
    expect(eventsOf(out).filter(({ id }) => id === 5)).toEqual([])
    expect(world.clock.sleepers()).toBe(0)
    expect(await spent()).toEqual({ free: 100, held: 0 })
  })

  test('that refuses one of two questions is not waited for to answer the other', async () => {
    const inputRequests = {
      city: { method: 'elicitation/create', params: QUESTION },
      roots: { method: 'roots/list' },
    }
    script(JSON.stringify({ resultType: 'input_required', inputRequests }))
    const { done, id, out } = await asked()
    await answer(id, { error: { code: -32601, message: 'no forms here' } })
    await world.clock.advance(2_000)
    await done
    expect(eventsOf(out).at(-1)).toMatchObject({
      id: 5,
      result: { isError: true, content: [{ text: expect.stringContaining('no forms here') }] },
    })
    expect(world.clock.sleepers()).toBe(0)
  })

  test('is asked again until the upstream has what it needs', async () => {
    script(ASKS, ASKS, DONE)
    const { done, out, id } = await asked()
    await answer(id, { result: OSLO })
    await world.clock.advance(2_000)
    const ids = eventsOf(out).flatMap(({ method, id }) =>
      method === 'elicitation/create' ? [String(id)] : [],
    )
    expect(new Set(ids).size).toBe(2)
    await answer(ids[1] ?? '', { result: OSLO })
    await world.clock.advance(2_000)
    await done
    expect(eventsOf(out).at(-1)).toMatchObject({ result: { isError: false } })
  })

  test('is asked eight times at most', async () => {
    script(...Array<string>(10).fill(ASKS))
    const { done, out } = await asked()
    for (let round = 0; round < 8; round += 1) {
      const last = eventsOf(out).at(-1)
      await answer(String(last?.['id']), { result: OSLO })
      await world.clock.advance(2_000)
    }
    await done
    expect(eventsOf(out).at(-1)).toMatchObject({ id: 5, result: { isError: true } })
    expect(world.upstream.requests).toHaveLength(9)
    expect(await spent()).toEqual({ free: 100, held: 0 })
  })

  // Holds: ASK-3
  test('that answers with an error gets a result that says so', async () => {
    script(ASKS)
    const { done, out, id } = await asked()
    await answer(id, { error: { code: -32601, message: 'Method not found' } })
    await world.clock.advance(2_000)
    await done
    const text = 'The client refused: Method not found (-32601)'
    expect(eventsOf(out).at(-1)).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining(text) }] },
    })
    expect(await spent()).toEqual({ free: 100, held: 0 })
  })

  // Holds: ASK-3, LIFE-8
  test('that does not answer for two minutes gets a result that says so; a later answer has no effect', async () => {
    script(ASKS)
    const { done, out, id } = await asked()
    await world.clock.advance(121_000)
    await done
    expect(eventsOf(out).at(-1)).toMatchObject({
      result: { content: [{ text: expect.stringContaining('did not answer in time') }] },
    })
    expect((await answer(id, { result: OSLO })).status).toBe(202)
    expect(world.upstream.requests).toHaveLength(1)
  })

  test('is waited for no longer than its host lets the call live', async () => {
    script(ASKS)
    const sent = withKey(ada, legacy('tools/call', call, { version: '2025-11-25' }))
    const { done, out } = opened(door, sent, 50_000)
    await world.clock.advance(31_000)
    await done
    expect(eventsOf(out).at(-1)).toMatchObject({ result: { isError: true } })
  })

  test('that disconnects is no longer waited for', async () => {
    script(ASKS)
    const { done, out } = await asked()
    out.destroy()
    await world.clock.advance(1_000)
    await done
    expect(world.clock.sleepers()).toBe(0)
    expect(await spent()).toEqual({ free: 100, held: 0 })
  })

  // Holds: LIFE-6
  test.each(['2025-03-26', '2024-11-05'])(
    'a legacy client of %s, which has no such request, gets a result that says so',
    async (version) => {
      script(ASKS)
      const { done, out, question } = await asked(version)
      await done
      expect(question).toBeUndefined()
      expect(out.json()).toMatchObject({ id: 5, result: { isError: true } })
    },
  )

  test('that accepts JSON only is told that it cannot be asked', async () => {
    script(ASKS)
    const { done, out } = await asked('2025-11-25', { headers: { accept: 'application/json' } })
    await done
    expect(out.json()).toMatchObject({ id: 5, result: { isError: true } })
  })
})

describe('a response that is posted', () => {
  // Holds: ASK-2
  test('a response by another key, or without one, is not taken', async () => {
    script(ASKS, DONE)
    const bob = await world.user('bob')
    const { done, out, id } = await asked()
    const forged = { result: { action: 'accept', content: { city: 'Bergen' } } }
    expect((await answer(id, forged, bob)).status).toBe(202)
    const headers = { 'mcp-protocol-version': '2025-11-25' }
    await post(door, { headers, body: { jsonrpc: '2.0', id, ...forged } })
    await world.clock.advance(3_000)
    expect(world.upstream.requests).toHaveLength(1)
    await answer(id, { result: OSLO })
    await world.clock.advance(2_000)
    await done
    expect(eventsOf(out).at(-1)).toMatchObject({ result: { isError: false } })
    expect(world.upstream.requests[1]?.body).not.toContain('Bergen')
  })

  test('twice counts once, with its first content', async () => {
    script(ASKS, DONE)
    const { done, id } = await asked()
    await answer(id, { result: OSLO })
    await answer(id, { result: { action: 'accept', content: { city: 'Bergen' } } })
    await world.clock.advance(2_000)
    await done
    expect(world.upstream.requests[1]?.body).toContain('Oslo')
  })

  test('a response of 256 KiB is taken, and a longer one refused', async () => {
    script(ASKS, DONE)
    const { id } = await asked()
    const result = (chars: number) => ({ action: 'accept', content: { text: 'a'.repeat(chars) } })
    const around = JSON.stringify({ result: result(0) }).length
    const tooLong = await answer(id, { result: result(262_144 - around + 1) })
    expect(tooLong.status).toBe(413)
    expect((await answer(id, { result: result(262_144 - around) })).status).toBe(202)
    await world.clock.advance(2_000)
    expect(world.upstream.requests).toHaveLength(2)
  })
})

describe('a client of 2026-07-28', () => {
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }

  // Holds: STR-16
  test('is asked by a result, and calls again with its answers and the state', async () => {
    script(ASKS, DONE)
    const first = await post(door, withKey(ada, modern('tools/call', call, { meta })))
    expect(first.status).toBe(200)
    const { result } = first.json()
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { city: { method: 'elicitation/create', params: QUESTION } },
      requestState: expect.any(String),
    })
    const { requestState } = JSON.parse(first.text).result
    const again = { ...call, requestState, inputResponses: { city: OSLO } }
    const second = await post(door, withKey(ada, modern('tools/call', again, { id: 2, meta })))
    expect(second.json()).toMatchObject({
      id: 2,
      result: { resultType: 'complete', isError: false },
    })
    await world.clock.settle()
    expect(await spent()).toEqual({ free: 98, held: 0 })
  })

  // Holds: INPUT-3
  test('that cannot be asked is refused with 400, -32021 and what it would need', async () => {
    script(ASKS)
    const out = await post(door, withKey(ada, modern('tools/call', call, { id: 'x' })))
    expect(out.status).toBe(400)
    expect(out.json()).toMatchObject({
      id: 'x',
      error: { code: -32021, data: { requiredCapabilities: { elicitation: {} } } },
    })
    expect(await spent()).toEqual({ free: 100, held: 0 })
  })

  // Holds: INPUT-4
  test('that sends a foreign state gets -32602 in band', async () => {
    const forged = { ...call, requestState: 'forged', inputResponses: { city: OSLO } }
    const out = await post(door, withKey(ada, modern('tools/call', forged, { meta })))
    expect(out.status).toBe(200)
    expect(out.json()).toMatchObject({ error: { code: -32602 } })
    expect(world.upstream.requests).toEqual([])
  })
})
