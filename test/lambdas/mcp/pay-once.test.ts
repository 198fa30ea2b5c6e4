/** Calls under a key of the client: paid once, whichever door they come to and however often they are sent. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { makeToolListCache } from '../../../core/flow/tools/tool-list-cache.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import { callsHere } from '../../../lambdas/call/answer-call.ts'
import { createExecuteDoor } from '../../../lambdas/execute/door.ts'
import { createMcpDoorOver } from '../../../lambdas/mcp/door.ts'
import { keyFor, makeWorld, type World } from '../../core/flow/world.ts'
import { contextOf, eventOf, MemoryResponse, type SentRequest } from '../door-client.ts'
import { doorByEvent, doorOf, eventsOf, legacy, modern, opened, post, withKey } from './agent.ts'

let world: World
let door: StreamingHandler
let rest: StreamingHandler
let ada: string

beforeEach(async () => {
  world = makeWorld()
  door = doorOf(world)
  rest = createExecuteDoor(world.ports, world.settings, world.caches)
  ada = await world.user('ada')
  await world.skill('sg_sunny', { price: 2 })
})

const KEY_META = 'skillgate/idempotency-key'
const CALL = { name: 'sg_sunny', arguments: { a: 1, b: 2 } }

/** A call of a revision under a key; `how` says where the key stands. */
function call(
  version: string,
  more: {
    readonly meta?: JsonObject
    readonly headers?: SentRequest['headers']
    readonly params?: JsonObject
    readonly id?: Json
  } = {},
): SentRequest {
  const { headers = {}, id = 1, meta = { [KEY_META]: 'k-1' }, params = CALL } = more
  if (version === '2026-07-28') return modern('tools/call', params, { meta, headers, id })
  return legacy('tools/call', { ...params, _meta: meta }, { version, headers, id })
}

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']

/** Posts, and lets time go on until the answer is there. */
async function answered(sent: SentRequest, key = ada, at = door): Promise<MemoryResponse> {
  return ended(opened(at, withKey(key, sent)))
}

async function ended({ done, out }: ReturnType<typeof opened>): Promise<MemoryResponse> {
  let isDone = false
  const watched = done.finally(() => {
    isDone = true
  })
  await world.clock.settle()
  while (!isDone) await world.clock.advance(250)
  await watched
  return out
}

async function overRest(body: JsonObject, key = 'k-1', apiKey = ada): Promise<MemoryResponse> {
  const out = new MemoryResponse()
  const headers = { authorization: apiKey, 'idempotency-key': key }
  const done = rest(eventOf('POST', '/v1/execute', { headers, body }), out, contextOf())
  return ended({ done, out })
}

function resultOf(out: MemoryResponse): JsonObject {
  const { result = null } = out.json()
  if (!isJsonObject(result)) throw new Error(`no result: ${out.text}`)
  return result
}

const metaOf = (out: MemoryResponse) => resultOf(out)['_meta'] as JsonObject
const callIdOf = (out: MemoryResponse) => (metaOf(out)['skillgate/call'] as JsonObject)['callId']
const textOf = (out: MemoryResponse) => JSON.stringify(resultOf(out)['content'])
const paid = async () => 100 - (await world.credits('ada')).free

describe('a repeat with the same key', () => {
  test.each(REVISIONS)(
    'a repeat of %s gets the first answer, marked, and costs nothing',
    async (version) => {
      const first = await answered(call(version))
      const again = await answered(call(version, { id: 2 }))
      expect(metaOf(first)['skillgate/replayed']).toBeUndefined()
      expect(metaOf(again)['skillgate/replayed']).toBe(true)
      expect(callIdOf(again)).toBe(callIdOf(first))
      expect(resultOf(again)['content']).toEqual(resultOf(first)['content'])
      expect(world.upstream.requests).toHaveLength(1)
      expect(await paid()).toBe(2)
    },
  )

  test('a repeat with execute behind its own door is the same', async () => {
    const far = doorByEvent(world)
    const first = await answered(call('2025-11-25'), ada, far)
    const again = await answered(call('2025-11-25'), ada, far)
    expect(metaOf(again)['skillgate/replayed']).toBe(true)
    expect(callIdOf(again)).toBe(callIdOf(first))
    expect(await paid()).toBe(2)
  })

  test.each([
    ['header and then in _meta', { meta: {}, headers: { 'idempotency-key': 'k-1' } }, {}],
    ['both places', { headers: { 'idempotency-key': 'k-1' } }, {}],
  ])('a key in the %s is one key', async (_where, first, second) => {
    await answered(call('2025-11-25', first))
    expect(metaOf(await answered(call('2026-07-28', second)))['skillgate/replayed']).toBe(true)
    expect(await paid()).toBe(2)
  })

  test('a repeat over the other door gets the same answer, by id or tool name, in any order of the arguments', async () => {
    const first = await answered(call('2026-07-28'))
    const body = { skill: 'sg_sunny', arguments: { b: 2, a: 1 } }
    const again = await overRest(body)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.json()['callId']).toBe(callIdOf(first))
    await overRest(body, 'k-2')
    expect(
      metaOf(await answered(call('2025-06-18', { meta: { [KEY_META]: 'k-2' } }))),
    ).toMatchObject({ 'skillgate/replayed': true })
    expect(await paid()).toBe(4)
  })

  test('a repeat gets the answer although the skill has changed its price and version', async () => {
    await answered(call('2025-11-25'))
    await world.skill('sg_sunny', { price: 7 })
    await world.clock.advance(31_000)
    expect(metaOf(await answered(call('2025-11-25')))['skillgate/replayed']).toBe(true)
    expect(await paid()).toBe(2)
  })

  test('a repeat gets a kept failure, marked as well', async () => {
    world.upstream.next({ kind: 'answer', status: 500 })
    await answered(call('2025-11-25'))
    const again = await answered(call('2025-11-25'))
    expect(resultOf(again)['isError']).toBe(true)
    expect(metaOf(again)['skillgate/replayed']).toBe(true)
    expect(world.upstream.requests).toHaveLength(1)
  })

  test.each(REVISIONS)('a repeat of %s waits while the first call runs', async (version) => {
    world.upstream.next({ kind: 'answer', afterMs: 4_000 })
    const first = opened(door, withKey(ada, call(version)))
    await world.clock.settle()
    const waiting = [2, 3].map((id) => opened(door, withKey(ada, call(version, { id }))))
    await world.clock.settle()
    expect(waiting.map(({ out }) => out.text)).toEqual(['', ''])
    const id = callIdOf(await ended(first))
    for (const repeat of waiting) {
      const out = await ended(repeat)
      expect([metaOf(out)['skillgate/replayed'], callIdOf(out)]).toEqual([true, id])
    }
    expect(world.upstream.requests).toHaveLength(1)
    expect(await paid()).toBe(2)
  })

  test('a repeat whose first call outlasts it is told to repeat', async () => {
    world.upstream.next({ kind: 'hang' })
    const first = opened(door, withKey(ada, call('2025-11-25')))
    await world.clock.settle()
    // The process of the first call has died: its claim stays, and nothing comes of it.
    const { idempotencyRecords } = world.ports
    world.ports.idempotencyRecords = { ...idempotencyRecords, keep: async () => {} }
    const again = await answered(call('2025-11-25', { id: 2 }))
    await ended(first)
    expect(resultOf(again)['isError']).toBe(true)
    expect(textOf(again)).toContain('still running')
    expect(textOf(again)).toContain('Repeat it')
  })

  test('a waiting repeat runs the call if the first one frees the key', async () => {
    world.upstream.next({ kind: 'hang' })
    const first = opened(door, withKey(ada, call('2025-11-25')))
    await world.clock.settle()
    const repeat = opened(door, withKey(ada, call('2025-11-25', { id: 2 })))
    await world.clock.settle()
    await post(door, withKey(ada, cancellation(1)))
    const out = await ended(repeat)
    await ended(first)
    expect(metaOf(out)['skillgate/replayed']).toBeUndefined()
    expect(resultOf(out)['isError']).toBe(false)
    expect(await paid()).toBe(2)
  })
})

const cancellation = (requestId: Json): SentRequest => ({
  body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } },
})

describe('another call under the same key', () => {
  test.each([
    ['other arguments', { name: 'sg_sunny', arguments: { a: 2 } }],
    ['another tool', { name: 'sg_other', arguments: CALL.arguments }],
  ])('a call with %s is a conflict for the model, and runs nothing', async (_what, params) => {
    await world.skill('sg_other', { price: 3 })
    const first = await answered(call('2025-11-25'))
    const out = await answered(call('2025-11-25', { params }))
    expect(resultOf(out)['isError']).toBe(true)
    expect(textOf(out)).toContain('Idempotency-Key')
    expect(callIdOf(out)).toBe(callIdOf(first))
    expect(world.upstream.requests).toHaveLength(1)
    expect(await paid()).toBe(2)
  })

  test('a call with another API key of the user gets the conflict of REST, never an answer', async () => {
    await answered(call('2025-11-25'))
    const second = await keyFor(world, 'ada')
    const out = await answered(call('2025-11-25'), second)
    expect([resultOf(out)['isError'], textOf(out)]).toEqual([
      true,
      expect.stringContaining('another API key'),
    ])
    expect(world.upstream.requests).toHaveLength(1)
  })

  test('a call of another user is another call', async () => {
    await answered(call('2025-11-25'))
    await answered(call('2025-11-25'), await world.user('bob'))
    expect(world.upstream.requests).toHaveLength(2)
  })
})

describe('a key that cannot be read', () => {
  const long = 'k'.repeat(129)
  test.each([
    ['empty', ''],
    ['longer than 128 characters', long],
    ['with a space', 'a b'],
    ['not ASCII', 'schlüssel'],
    ['not a text', 7],
  ])('a key in _meta that is %s is -32602 and runs nothing', async (_what, key) => {
    for (const version of REVISIONS) {
      const out = await answered(call(version, { meta: { [KEY_META]: key } }))
      expect([version, out.json()['error']]).toEqual([
        version,
        expect.objectContaining({ code: -32602, message: expect.stringContaining(KEY_META) }),
      ])
    }
    expect(world.upstream.requests).toHaveLength(0)
  })

  test('a key of 128 characters is read', async () => {
    const key = 'k'.repeat(128)
    const out = await answered(call('2026-07-28', { meta: { [KEY_META]: key } }))
    expect(resultOf(out)['isError']).toBe(false)
  })

  test.each([
    ['empty', {}, ''],
    ['longer than 128 characters', {}, long],
    ['another one than in _meta', { [KEY_META]: 'k-1' }, 'k-2'],
  ])('a header that is %s is 400 with -32602', async (_what, meta, header) => {
    for (const version of REVISIONS) {
      const headers = { 'idempotency-key': header }
      const out = await answered(call(version, { meta, headers }))
      expect([version, out.status, out.json()]).toEqual([
        version,
        400,
        expect.objectContaining({ id: 1, error: expect.objectContaining({ code: -32602 }) }),
      ])
    }
    expect(world.upstream.requests).toHaveLength(0)
  })

  test('a header on a batch is 400 with -32602, and the keys of its calls are their own', async () => {
    const item = (id: number, key: string) =>
      call('2025-03-26', { id, meta: { [KEY_META]: key } }).body ?? null
    const batch = { body: [item(1, 'k-1'), item(2, 'k-1'), item(3, 'k-2')] }
    const out = await answered({ ...batch, headers: { 'idempotency-key': 'k-1' } })
    expect([out.status, out.json()]).toEqual([
      400,
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32602 }) }),
    ])
    expect(world.upstream.requests).toHaveLength(0)
    await answered(batch)
    expect(world.upstream.requests).toHaveLength(2)
    expect(await paid()).toBe(4)
  })

  test.each(['', 'a b', 'k-1'])('a header "%s" on another request is ignored', async (header) => {
    const headers = { 'idempotency-key': header }
    expect((await answered(legacy('tools/list', {}, { headers }))).status).toBe(200)
    expect((await answered(legacy('ping', {}, { headers }))).status).toBe(200)
    expect((await answered(modern('tools/list', {}, { headers }))).status).toBe(200)
    expect((await answered({ ...cancellation(1), headers })).status).toBe(202)
  })
})

describe('a call that its caller took back', () => {
  test('a cancelled call frees its key: the repeat runs and pays', async () => {
    world.upstream.next({ kind: 'answer', afterMs: 3_000 })
    const first = opened(door, withKey(ada, call('2025-11-25', { id: 'c' })))
    await world.clock.settle()
    await post(door, withKey(ada, cancellation('c')))
    expect((await ended(first)).text).toBe('')
    expect(await paid()).toBe(0)
    const again = await answered(call('2025-11-25', { id: 'd' }))
    expect(metaOf(again)['skillgate/replayed']).toBeUndefined()
    expect(world.upstream.requests).toHaveLength(2)
    expect(await paid()).toBe(2)
  })

  test.each(['kept', 'settled'])(
    'a call that is taken back when its answer is %s gives that answer to nobody',
    async (when) => {
      const sent = withKey(ada, call('2025-11-25', { id: 'c' }))
      const { idempotencyRecords, ledger } = world.ports
      const cancel = () => post(door, withKey(ada, cancellation('c')))
      if (when === 'kept') {
        world.ports.idempotencyRecords = {
          ...idempotencyRecords,
          keep: async (kept) => {
            await idempotencyRecords.keep(kept)
            await cancel()
          },
        }
      } else {
        world.ports.ledger = {
          ...ledger,
          release: async (release) => {
            const released = await ledger.release(release)
            if (!release.giveBack) await cancel()
            return released
          },
        }
      }
      door = doorOf(world)
      expect((await ended(opened(door, sent))).text).toBe('')
      world.ports.idempotencyRecords = idempotencyRecords
      world.ports.ledger = ledger
      door = doorOf(world)
      expect(await paid()).toBe(0)
      const again = await answered(call('2025-11-25'))
      expect(metaOf(again)['skillgate/replayed']).toBeUndefined()
      expect(world.upstream.requests).toHaveLength(2)
      expect(await paid()).toBe(2)
    },
  )

  test('a call whose answer went to a repeat stays charged when its caller takes it back afterwards', async () => {
    const { ledger } = world.ports
    const late = Promise.withResolvers<void>()
    world.ports.ledger = {
      ...ledger,
      // The first call lingers between its charge and its answer.
      release: async (release) => {
        const released = await ledger.release(release)
        if (!release.giveBack) await late.promise
        return released
      },
    }
    door = doorOf(world)
    const first = opened(door, withKey(ada, call('2025-11-25', { id: 'c' })))
    await world.clock.settle()
    world.ports.ledger = ledger
    const again = await overRest({ skill: 'sg_sunny', arguments: CALL.arguments })
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true'])
    await post(door, withKey(ada, cancellation('c')))
    late.resolve()
    await ended(first)
    expect(world.upstream.requests).toHaveLength(1)
    expect(await paid()).toBe(2)
  })

  test('a client of 2026-07-28 that leaves has not taken back a call with a key', async () => {
    world.upstream.next({ kind: 'answer', afterMs: 3_000 })
    const first = opened(door, withKey(ada, call('2026-07-28')))
    await world.clock.settle()
    first.out.destroy()
    await ended(first)
    expect(world.upstream.cuts()).toBe(0)
    const again = await answered(call('2026-07-28'))
    expect(metaOf(again)['skillgate/replayed']).toBe(true)
    expect(world.upstream.requests).toHaveLength(1)
    expect(await paid()).toBe(2)
  })

  test.each(['2025-11-25', '2026-07-28'])(
    'a server that stops cuts a call of %s with a key, and frees the key',
    async (version) => {
      world.upstream.next({ kind: 'hang' })
      const first = opened(door, withKey(ada, call(version)))
      await world.clock.settle()
      Object.assign(first.out, { isCut: true }).destroy()
      await ended(first)
      expect([world.upstream.cuts(), await paid()]).toEqual([1, 0])
      expect(metaOf(await answered(call(version)))['skillgate/replayed']).toBeUndefined()
      expect(await paid()).toBe(2)
    },
  )
})

describe('a call without a result to keep', () => {
  test('a call whose process died is told of after 60 s, and never runs under its key', async () => {
    const { idempotencyRecords } = world.ports
    world.ports.idempotencyRecords = {
      ...idempotencyRecords,
      keep: () => new Promise(() => {}),
    }
    const { caches, ports, settings } = world
    const { execute } = callsHere({ ports, settings, caches, lists: makeToolListCache() })
    const dies = { execute, voidCall: () => new Promise<never>(() => {}) }
    opened(
      createMcpDoorOver({ ...ports, execute: dies }, settings),
      withKey(ada, call('2025-11-25')),
    )
    await world.clock.settle()
    world.ports.idempotencyRecords = idempotencyRecords
    await world.clock.advance(61_000)
    for (const id of [2, 3]) {
      const again = await answered(call('2025-11-25', { id }))
      expect(textOf(again)).toContain('interrupted and cost nothing')
    }
    expect(world.upstream.requests).toHaveLength(1)
    expect(await paid()).toBe(0)
  })
})

describe('a call that asks its client', () => {
  const ASKS = JSON.stringify({
    resultType: 'input_required',
    inputRequests: { city: { method: 'roots/list' } },
  })
  const DONE = JSON.stringify({ content: [{ type: 'text', text: 'sent' }] })
  const params = { name: 'sg_asks', arguments: { what: 'card' } }
  const can = { 'io.modelcontextprotocol/clientCapabilities': { roots: {} } }
  const meta = { [KEY_META]: 'k-1', ...can }

  beforeEach(async () => {
    await world.skill('sg_asks', { price: 3, config: { response: { as: 'mcp' } } })
    world.upstream.next({ kind: 'answer', body: ASKS })
    world.upstream.next({ kind: 'answer', body: DONE })
  })

  test('a round of 2026-07-28 that asks frees the key, and the round that completes is kept', async () => {
    expect(resultOf(await answered(call('2026-07-28', { meta, params })))['resultType']).toBe(
      'input_required',
    )
    expect(await paid()).toBe(0)
    const inputResponses = { city: { roots: [] } }
    const last = call('2026-07-28', { meta, params: { ...params, inputResponses } })
    expect(metaOf(await answered(last))['skillgate/replayed']).toBeUndefined()
    expect(metaOf(await answered(last))['skillgate/replayed']).toBe(true)
    // A client that begins again gets the answer of the round that completed.
    const anew = await answered(call('2026-07-28', { meta, params }))
    expect([metaOf(anew)['skillgate/replayed'], textOf(anew)]).toEqual([
      true,
      expect.stringContaining('sent'),
    ])
    const other = { ...params, inputResponses: { city: { roots: [{ uri: 'file:///x' }] } } }
    expect(textOf(await answered(call('2026-07-28', { meta, params: other })))).toContain(
      'other input',
    )
    expect(world.upstream.requests).toHaveLength(2)
    expect(await paid()).toBe(3)
  })

  test('a call of 2025-11-25 spans its rounds, and its repeat gets the last answer', async () => {
    const sent = call('2025-11-25', { params, id: 5 })
    const first = opened(door, withKey(ada, sent))
    await world.clock.settle()
    const question = eventsOf(first.out).find(({ method }) => method === 'roots/list')
    const body = { jsonrpc: '2.0', id: question?.['id'] ?? null, result: { roots: [] } }
    await post(door, withKey(ada, { headers: { 'mcp-protocol-version': '2025-11-25' }, body }))
    await ended(first)
    expect(await paid()).toBe(3)
    const again = await answered(sent)
    expect([metaOf(again)['skillgate/replayed'], textOf(again)]).toEqual([
      true,
      expect.stringContaining('sent'),
    ])
    expect(world.upstream.requests).toHaveLength(2)
    expect(await paid()).toBe(3)
  })
})

describe('the announcement of keys', () => {
  test('in server/discover says how long answers are kept', async () => {
    const { capabilities } = resultOf(await answered(modern('server/discover')))
    expect(capabilities).toMatchObject({
      extensions: { 'skillgate/idempotency': { keepSec: 86_400 } },
    })
  })

  test.each(REVISIONS.slice(0, 4))('to %s is experimental', async (version) => {
    const params = { protocolVersion: version, capabilities: {}, clientInfo: CLIENT }
    const { capabilities } = resultOf(await answered(legacy('initialize', params)))
    expect(capabilities).toMatchObject({
      experimental: { 'skillgate/idempotency': { keepSec: 86_400 } },
    })
  })
})

const CLIENT = { name: 'test', version: '1' }

describe('ids that harnesses send', () => {
  test.each([
    ['claudecode/toolUseId', 'toolu_01', 'toolu_01'],
    ['callId', 'call_7', 'call_7'],
    ['callId', 'x'.repeat(80), 'x'.repeat(48)],
    ['callId', 'call\u0007ü', 'call?'],
    ['callId', 7, undefined],
  ])('%s goes into the record of the call, and makes no repeat', async (name, sent, kept) => {
    const meta = { [name]: sent }
    const first = await answered(call('2025-11-25', { meta }))
    await answered(call('2025-11-25', { meta }))
    const callId = String(callIdOf(first))
    const outcome = await world.ports.ledger.find({ uid: 'ada', callId })
    expect(outcome?.facts?.clientCallId).toBe(kept)
    expect(world.upstream.requests).toHaveLength(2)
  })
})
