/** Answers that are data or long, at every door and in every revision: carried, or kept for their user. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../adapters/http/events.ts'
import { Fault } from '../../core/errors.ts'
import { makeToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { callsHere } from '../../lambdas/call/answer-call.ts'
import { createExecuteDoor } from '../../lambdas/execute/door.ts'
import { openStream, call as streamCall } from '../core/flow/client.ts'
import { makeWorld, type World } from '../core/flow/world.ts'
import { ask, type MemoryResponse, type SentRequest } from './door-client.ts'
import { doorOf, legacy, modern, opened, withKey } from './mcp/agent.ts'

let world: World
let mcp: StreamingHandler
let rest: StreamingHandler
let ada: string
let bob: string
let answer: { mediaType: string; body: Uint8Array }

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
const PDF = new TextEncoder().encode('%PDF-1.7\n')
const URI = /skillgate:\/\/results\/[A-Za-z0-9_-]{43}/

beforeEach(async () => {
  world = makeWorld()
  world.ports.upstream = {
    send: async (_request, { responseBytesMax }) =>
      answer.body.length > responseBytesMax
        ? { kind: 'too_large', bytesMax: responseBytesMax }
        : { kind: 'answered', response: { status: 200, charset: 'utf-8', ...answer } },
  }
  const { caches, ports, settings } = world
  // As deployed: messages reach built-in tools where calls are made.
  world.ports.execute = callsHere({ ports, settings, caches, lists: makeToolListCache() })
  mcp = doorOf(world)
  rest = createExecuteDoor(world.ports, world.settings, world.caches)
  ada = await world.user('ada')
  bob = await world.user('bob')
  await world.skill('sg_get', { price: 1, config: { max_response_bytes: 16_000_000 } })
  await world.skill('sg_keep', { price: 1, config: { response: { keep: 'always' } } })
})

function answers(mediaType: string, body: Uint8Array | string) {
  answer = { mediaType, body: typeof body === 'string' ? new TextEncoder().encode(body) : body }
}

async function settled({ done, out }: ReturnType<typeof opened>): Promise<MemoryResponse> {
  let isDone = false
  const watched = done.finally(() => {
    isDone = true
  })
  await world.clock.settle()
  while (!isDone) await world.clock.advance(250)
  await watched
  return out
}

const KEYED = { 'skillgate/idempotency-key': 'k-1' }

async function callMcp(
  version: string,
  name: string,
  args: JsonObject = {},
  meta: JsonObject = {},
) {
  const params = { name, arguments: args, ...(version === '2026-07-28' ? {} : { _meta: meta }) }
  const sent: SentRequest =
    version === '2026-07-28'
      ? modern('tools/call', params, { meta })
      : legacy('tools/call', params, { version })
  return resultOf(JSON.parse((await settled(opened(mcp, withKey(ada, sent)))).text))
}

function resultOf({ result }: JsonObject): JsonObject {
  return isJsonObject(result) ? result : {}
}

async function callRest(skill: string, args: JsonObject = {}, key = ada, more = {}) {
  const sent = { headers: { authorization: key, ...more }, body: { skill, arguments: args } }
  return (await ask(rest, 'POST', '/v1/execute', sent)).json() as JsonObject
}

async function callStream(name: string, args: JsonObject = {}) {
  const stream = await openStream(world, ada)
  await stream.post(streamCall(1, name, args))
  await world.clock.advance(250)
  const [reply = {}] = stream.withId(1)
  stream.close()
  return resultOf(reply)
}

function blocksOf({ content }: JsonObject): readonly JsonObject[] {
  return Array.isArray(content) ? content.filter(isJsonObject) : []
}

const textsOf = (result: JsonObject) =>
  blocksOf(result).map(({ text }) => (typeof text === 'string' ? text : ''))
const uriIn = (value: Json): string => URI.exec(JSON.stringify(value))?.[0] ?? ''
const free = async (uid: string) => (await world.credits(uid)).free

describe('a PDF', () => {
  test.each(REVISIONS)('is a resource of its bytes in %s', async (version) => {
    answers('application/pdf', PDF)
    const result = await callMcp(version, 'sg_get')
    expect(result).toMatchObject({
      content: [
        {
          type: 'resource',
          resource: {
            uri: expect.stringMatching(/^skillgate:\/\/calls\/[\w-]+\/answer$/),
            mimeType: 'application/pdf',
            blob: 'JVBERi0xLjcK',
          },
        },
      ],
      isError: false,
    })
    expect(await free('ada')).toBe(99)
  })

  test('of 4,000,000 bytes is in the answer, and one of a byte more is kept', async () => {
    answers('application/pdf', new Uint8Array(4_000_000))
    for (const result of [await callRest('sg_get'), await callMcp('2025-11-25', 'sg_get')]) {
      const [block] = blocksOf(result)
      expect(isJsonObject(block?.['resource']) && String(block['resource']['blob']).length).toBe(
        5_333_336,
      )
    }
    answers('application/pdf', new Uint8Array(4_000_001))
    for (const result of [await callRest('sg_get'), await callMcp('2025-11-25', 'sg_get')]) {
      expect(result).toMatchObject({
        content: [
          { type: 'text', text: expect.stringContaining('4000001 bytes of application/pdf') },
          { type: 'resource_link', mimeType: 'application/pdf', name: 'sg_get' },
        ],
        isError: false,
      })
    }
    expect(await free('ada')).toBe(96)
  })

  test('of 16,000,000 bytes is kept, and one of a byte more fails and is free', async () => {
    answers('application/pdf', new Uint8Array(16_000_000))
    expect(uriIn(await callRest('sg_get'))).toMatch(URI)
    answers('application/pdf', new Uint8Array(16_000_001))
    expect(await callRest('sg_get')).toMatchObject({ upstreamFault: 'too_large' })
    expect(await free('ada')).toBe(99)
  })
})

describe('a result that a door does not carry', () => {
  const LONG = JSON.stringify({ text: 'ä"'.repeat(400_000) })

  test('is kept over HTTP+SSE, where its uri is text, and is read there', async () => {
    answers('application/json', LONG)
    const result = await callStream('sg_get')
    expect(blocksOf(result).map(({ type }) => type)).toEqual(['text', 'text'])
    const [said = '', link = ''] = textsOf(result)
    expect(said).toMatch(
      /^The answer has \d+ bytes of application\/json and is kept for one hour\./,
    )
    expect(said).toContain('Read it with the tool sg_read_result')
    expect(said).toContain('It begins:\n{"text":"ä')
    expect(link).toBe(`sg_get: ${uriIn(said)}`)
    const read = await callStream('sg_read_result', { uri: uriIn(said) })
    expect(textsOf(read)[1]).toContain('{"text":"ä')
    expect(await free('ada')).toBe(99)
  })

  test('is carried over HTTP+SSE as long as its content fits', async () => {
    answers('text/plain', 'x'.repeat(1_000_000))
    expect(textsOf(await callStream('sg_get'))[0]).toHaveLength(1_000_000)
    answers('image/png', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xd, 0xa, 0x1a, 0xa]))
    expect(blocksOf(await callStream('sg_get'))).toMatchObject([{ type: 'image' }])
  })

  test.each(REVISIONS)(
    'leads to the same link for a repeat under its key in %s',
    async (version) => {
      answers('application/pdf', new Uint8Array(900_000))
      const first = await callMcp(version, 'sg_get', {}, KEYED)
      const again = await callMcp(version, 'sg_get', {}, KEYED)
      expect(uriIn(first)).toMatch(URI)
      expect(uriIn(again)).toBe(uriIn(first))
      expect(await free('ada')).toBe(99)
    },
  )

  test('leads to the same link for a repeat over REST', async () => {
    answers('text/csv', 'a,b\n'.repeat(300_000))
    const key = { 'idempotency-key': 'k-1' }
    const first = await callRest('sg_get', {}, ada, key)
    expect(uriIn(await callRest('sg_get', {}, ada, key))).toBe(uriIn(first))
    expect(uriIn(first)).toMatch(URI)
    expect(await free('ada')).toBe(99)
  })

  test('of a tool that promises structured content is an error that says where it is', async () => {
    const schema = { type: 'object', properties: { text: { type: 'string' } } }
    const config = { max_response_bytes: 2_000_000 }
    await world.skill('sg_typed', { price: 1, outputSchema: schema, config })
    answers('application/json', LONG)
    const result = await callRest('sg_typed', {}, ada, { 'idempotency-key': 'k-2' })
    expect(result).toMatchObject({ isError: true })
    expect(result).not.toHaveProperty('structuredContent')
    expect(textsOf(result)[0]).toContain('Do not call again')
    expect(await free('ada')).toBe(99)
  })
})

describe('response.keep: "always"', () => {
  test.each([
    ['text/plain', 'hello', 'text/plain', ' It begins:\nhello'],
    ['application/json', '{"a":1}', 'application/json', ' It begins:\n{"a":1}'],
    ['application/pdf', '%PDF', 'application/pdf', ''],
    ['image/tiff', 'II*', 'image/tiff', ''],
  ])('an answer of the type %s is kept', async (mediaType, body, type, head) => {
    answers(mediaType, body)
    const result = await callRest('sg_keep')
    const [said, link] = blocksOf(result)
    const uri = uriIn(result)
    expect(said?.['text']).toBe(
      `The answer has ${body.length} bytes of ${type} and is kept for one hour. Read it with the tool sg_read_result: {"uri":"${uri}"}.${head}`,
    )
    expect(link).toEqual({ type: 'resource_link', uri, name: 'sg_keep', mimeType: type })
    expect(result).not.toHaveProperty('structuredContent')
    expect(await free('ada')).toBe(99)
  })

  test('an answer whose bytes cannot be kept fails, and is free', async () => {
    answers('text/plain', 'hello')
    world.ports.keptResults = {
      ...world.ports.keptResults,
      put: () => Promise.reject(new Fault('store_unavailable', 'the bucket is down')),
    }
    rest = createExecuteDoor(world.ports, world.settings, world.caches)
    expect(await callRest('sg_keep')).toMatchObject({
      code: 'internal',
      detail: expect.stringContaining('could not be kept'),
      credits: { charged: 1, refunded: 1 },
    })
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    expect(world.log.notes).toContainEqual(
      expect.objectContaining({ level: 'error', event: 'result-not-kept' }),
    )
  })

  test('a call that is cut while its bytes are put is free', async () => {
    answers('text/plain', 'hello')
    world.ports.keptResults = { ...world.ports.keptResults, put: () => new Promise(() => {}) }
    mcp = doorOf(world)
    expect(await callMcp('2025-11-25', 'sg_keep')).toMatchObject({ isError: true })
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})

describe('sg_read_result', () => {
  async function kept(mediaType: string, body: Uint8Array | string): Promise<string> {
    answers(mediaType, body)
    return uriIn(await callRest('sg_keep'))
  }
  const read = async (args: JsonObject, key = ada) => callRest('sg_read_result', args, key)
  const detailOf = async (args: JsonObject, key = ada) => (await read(args, key))['detail']

  test('reads the start of a text, and any of its bytes, without cutting a character', async () => {
    const uri = await kept('text/plain', 'aäöü€𝄞z')
    expect(textsOf(await read({ uri }))).toEqual([
      'The result has 15 bytes of text/plain. Bytes 0 to 14. This is its end.',
      'aäöü€𝄞z',
    ])
    expect(textsOf(await read({ uri, range: { from: 2, bytes: 4 } }))).toEqual([
      'The result has 15 bytes of text/plain. Bytes 3 to 4. Read on with {"range":{"from":5}}.',
      'ö',
    ])
    expect(textsOf(await read({ uri, range: { from: 10 } }))[1]).toBe('𝄞z')
    expect(textsOf(await read({ uri, range: { from: 15 } }))).toEqual([
      'The result has 15 bytes of text/plain. Nothing follows byte 15.',
    ])
    expect(textsOf(await read({ uri, range: { from: 2 ** 53 - 1, bytes: 1 } }))).toHaveLength(1)
    expect(await free('ada')).toBe(99)
  })

  test('answers 32,768 bytes of text at most, and says how to read on', async () => {
    const uri = await kept('text/plain', 'x'.repeat(32_769))
    const [said, text] = textsOf(await read({ uri }))
    expect(text).toHaveLength(32_768)
    expect(said).toContain('Read on with {"range":{"from":32768}}.')
    const [end, rest] = textsOf(await read({ uri, range: { from: 32_768, bytes: 100 } }))
    expect([rest, end?.includes('This is its end.')]).toEqual(['x', true])
  })

  test('reads lines, the last of which may have no end', async () => {
    const uri = await kept('text/csv', 'id\n1\n2\n\n4')
    const lines = async (from: number, count: number) =>
      textsOf(await read({ uri, lines: { from, count } }))
    expect(await lines(1, 2)).toEqual([
      'The result has 9 bytes of text/csv. Lines 1 to 2.',
      'id\n1\n',
    ])
    expect(await lines(3, 2)).toEqual([
      'The result has 9 bytes of text/csv. Lines 3 to 4.',
      '2\n\n',
    ])
    expect(await lines(5, 50)).toEqual(['The result has 9 bytes of text/csv. Lines 5 to 5.', '4'])
    expect(await lines(6, 1)).toEqual(['The result has 9 bytes of text/csv. It has no line 6.'])
    expect(textsOf(await read({ uri, lines: { from: 2 } }))[1]).toBe('1\n2\n\n4')
  })

  test('reads lines deep in a long text, and cuts what is over its limit', async () => {
    const row = `${'y'.repeat(99)}\n`
    answers('text/csv', row.repeat(90_000))
    await world.skill('sg_long', { price: 1, config: { max_response_bytes: 9_000_000 } })
    const uri = uriIn(await callRest('sg_long'))
    const [said, text] = textsOf(await read({ uri, lines: { from: 89_999, count: 5 } }))
    expect(said).toContain('Lines 89999 to 90000.')
    expect(text).toBe(row.repeat(2))
    const [cut, some] = textsOf(await read({ uri, lines: { from: 1, count: 1_000 } }))
    expect(some).toHaveLength(32_768)
    expect(cut).toContain('Line 328 is cut')
  })

  test('reads values of JSON by a pointer, with every digit', async () => {
    const uri = await kept(
      'application/json',
      '{"items":[{"id":12345678901234567890},{"id":1.50}],"a/b":"x"}',
    )
    const at = async (pointer: string) => textsOf(await read({ uri, pointer }))
    expect((await at('/items/0/id'))[1]).toBe('12345678901234567890')
    expect((await at('/a~1b'))[1]).toBe('"x"')
    expect((await at('/items'))[0]).toContain('an array of 2 items')
    expect((await at(''))[0]).toContain('an object with 2 members ("items", "a/b")')
    expect(await detailOf({ uri, pointer: '/items/2' })).toBe(
      'arguments: pointer: the result has nothing at /items/2.',
    )
  })

  test('gives an image of its own as an image, and parts of data as resources', async () => {
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xd, 0xa, 0x1a, 0xa, 1])
    const uri = await kept('image/png', png)
    expect(blocksOf(await read({ uri }))[1]).toMatchObject({ type: 'image', mimeType: 'image/png' })
    expect(blocksOf(await read({ uri, range: { from: 1, bytes: 2 } }))[1]).toEqual({
      type: 'resource',
      resource: { uri: `${uri}#bytes=1-2`, mimeType: 'application/octet-stream', blob: 'UE4=' },
    })
    expect(await detailOf({ uri, lines: { from: 1 } })).toContain('not text. Use range')
    expect(await detailOf({ uri, pointer: '' })).toContain('not text. Use range')
  })

  test('gives 700,000 bytes of data at once, and not one more', async () => {
    const uri = await kept('application/zip', new Uint8Array(700_001))
    const [said, block] = blocksOf(await read({ uri }))
    expect(said?.['text']).toContain('Bytes 0 to 699999. Read on')
    expect(JSON.stringify(block).length).toBeGreaterThan(933_336)
    expect(blocksOf(await callStream('sg_read_result', { uri }))).toHaveLength(2)
  })

  test('shows nothing to another user, and nothing after an hour', async () => {
    const uri = await kept('text/plain', 'of ada')
    const gone = await detailOf({ uri }, bob)
    expect(gone).toContain('there is no such result of this user')
    expect(await detailOf({ uri: `${uri.slice(0, -1)}_` })).toBe(gone)
    await world.clock.advance(3_599_000)
    expect(textsOf(await read({ uri }))[1]).toBe('of ada')
    await world.clock.advance(1_000)
    expect(await detailOf({ uri })).toBe(gone)
  })

  test.each<[JsonObject, string]>([
    [{}, 'uri: must be a text skillgate://results/'],
    [{ uri: 'skillgate://results/x' }, 'uri: must be a text skillgate://results/'],
    [{ uri: 'skillgate://results/../../items' }, 'uri: must be'],
    [{ uri: 7 }, 'uri: must be'],
    [{ range: { from: -1 } }, 'range: must be'],
    [{ range: { from: 0, bytes: 0 } }, 'range: must be'],
    [{ range: 5 }, 'range: must be'],
    [{ lines: { from: 0 } }, 'lines: must be'],
    [{ lines: { from: 1, count: 1.5 } }, 'lines: must be'],
    [{ pointer: 'a' }, 'pointer: must be'],
    [{ range: { from: 0 }, pointer: '' }, 'name one of them only'],
    [{ page: 1 }, 'page: is not an argument'],
  ])('refuses the arguments %j', async (args, why) => {
    const uri = await kept('application/json', '{}')
    expect(
      await detailOf({ ...(Object.keys(args).length === 0 ? {} : { uri }), ...args }),
    ).toContain(why)
  })

  test('needs a key', async () => {
    const out = await ask(rest, 'POST', '/v1/execute', {
      headers: {},
      body: { skill: 'sg_read_result', arguments: {} },
    })
    expect(out.status).toBe(401)
  })
})
