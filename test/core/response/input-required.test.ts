import { describe, expect, test } from 'vitest'
import { findMissingCapabilities } from '../../../core/call/client-capabilities.ts'
import type { Json, JsonObject } from '../../../core/json/json.ts'
import type { InputMethod } from '../../../core/response/input-required.ts'
import { makeMask } from '../../../core/response/mask.ts'
import { response, resultOf } from './responses.ts'

const ROOTS = { method: 'roots/list', params: {} }

function asked(more: JsonObject) {
  const body = JSON.stringify({ resultType: 'input_required', ...more })
  return resultOf(response(body), { responseAs: 'mcp' })
}

function wrong(how: string) {
  return { detail: `The skill expects an MCP result, but the upstream's answer ${how}.` }
}

function requests(count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, nth) => [`k${nth}`, ROOTS]))
}

describe('an answer that asks for input', () => {
  test('is read as its questions and its state', () => {
    const ask = { method: 'elicitation/create', params: { message: 'Your name?' } }
    expect(asked({ inputRequests: { name: ask }, requestState: 'opaque' })).toEqual({
      inputRequests: { name: ask },
      requestState: 'opaque',
    })
  })

  // Holds: INPUT-1
  test('may have questions alone, or a state alone', () => {
    expect(asked({ inputRequests: { r: ROOTS } })).toEqual({
      inputRequests: { r: ROOTS },
      requestState: undefined,
    })
    expect(asked({ requestState: '' })).toEqual({ inputRequests: {}, requestState: '' })
  })

  test('keeps only the known members of a question', () => {
    const more = { method: 'roots/list', id: 1, _meta: {} }
    expect(asked({ inputRequests: { r: more }, content: [] })).toMatchObject({
      inputRequests: { r: ROOTS },
    })
  })

  // Holds: INPUT-2
  test.each<[JsonObject, string]>([
    [{}, 'asks for input with neither inputRequests nor requestState'],
    [{ inputRequests: {} }, 'asks for input with neither inputRequests nor requestState'],
    [{ inputRequests: [] }, 'at /inputRequests is not an object'],
    [{ inputRequests: null, requestState: 'x' }, 'at /inputRequests is not an object'],
    [{ inputRequests: { 'a/b': 'x' } }, 'at /inputRequests/a~1b is not an object'],
    [
      { inputRequests: { a: { method: 'ping', params: {} } } },
      'at /inputRequests/a/method is not elicitation/create, sampling/createMessage, roots/list',
    ],
    [
      { inputRequests: { a: { method: 'elicitation/create' } } },
      'at /inputRequests/a/params is not an object',
    ],
    [
      { inputRequests: { a: { method: 'roots/list', params: [] } } },
      'at /inputRequests/a/params is not an object',
    ],
    [
      { inputRequests: { '': ROOTS } },
      'at /inputRequests has a key that is not 1 to 128 characters',
    ],
    [{ requestState: {} }, 'at /requestState is not a string'],
    [{ requestState: null, inputRequests: { r: ROOTS } }, 'at /requestState is not a string'],
  ])('the answer %j is a failure of the upstream', (value, how) => {
    expect(asked(value)).toEqual(wrong(how))
  })

  test('has 16 questions at most, of 65,536 bytes together', () => {
    expect(asked({ inputRequests: requests(16) })).toHaveProperty('inputRequests.k15')
    expect(asked({ inputRequests: requests(17) })).toEqual(
      wrong('at /inputRequests has 17 requests; the limit is 16'),
    )
    // {"a":{"method":"roots/list","params":{"x":"…"}}} has 47 characters besides.
    const long = (chars: number) => ({
      inputRequests: { a: { method: 'roots/list', params: { x: 'x'.repeat(chars) } } },
    })
    expect(asked(long(65_489))).toHaveProperty('inputRequests.a')
    expect(asked(long(65_490))).toEqual(wrong('at /inputRequests has over 65536 bytes'))
  })

  test('has keys of 128 characters at most', () => {
    expect(asked({ inputRequests: { ['k'.repeat(128)]: ROOTS } })).toHaveProperty('inputRequests')
    expect(asked({ inputRequests: { ['k'.repeat(129)]: ROOTS } })).toEqual(
      wrong('at /inputRequests has a key that is not 1 to 128 characters'),
    )
  })

  test('has a state of 32,768 bytes at most', () => {
    expect(asked({ requestState: 'ü'.repeat(16_384) })).toHaveProperty('requestState')
    expect(asked({ requestState: `${'ü'.repeat(16_384)}x` })).toEqual(
      wrong('at /requestState has over 32768 bytes'),
    )
  })

  test('holds no secret of the call, nor does its state', () => {
    const body = JSON.stringify({
      resultType: 'input_required',
      inputRequests: { a: { method: 'elicitation/create', params: { message: 'is it s3cr3t?' } } },
      requestState: 'with s3cr3t',
    })
    const mask = makeMask([['KEY', 's3cr3t']])
    expect(resultOf(response(body), { responseAs: 'mcp' }, mask)).toEqual({
      inputRequests: {
        a: { method: 'elicitation/create', params: { message: 'is it [secret KEY]?' } },
      },
      requestState: 'with [secret KEY]',
    })
  })

  test('is an ordinary result when the skill does not expect MCP', () => {
    const body = { resultType: 'input_required', inputRequests: { r: ROOTS } }
    expect(resultOf(response(JSON.stringify(body)))).toMatchObject({ structuredContent: body })
  })
})

describe('the capabilities that a client must have declared', () => {
  const missing = (
    declared: JsonObject,
    ...asks: readonly (readonly [InputMethod, JsonObject?])[]
  ) =>
    findMissingCapabilities(
      {
        inputRequests: Object.fromEntries(
          asks.map(([method, params = {}], nth) => [`k${nth}`, { method, params }]),
        ),
      },
      declared,
    )

  // Holds: INPUT-3, INPUT-9
  test.each<[JsonObject, InputMethod, JsonObject, Json | undefined]>([
    [{}, 'elicitation/create', {}, { elicitation: {} }],
    [{ elicitation: {} }, 'elicitation/create', {}, undefined],
    [{ elicitation: true }, 'elicitation/create', {}, { elicitation: { form: {} } }],
    [{ elicitation: { form: {} } }, 'elicitation/create', { mode: 'form' }, undefined],
    [{ elicitation: { url: {} } }, 'elicitation/create', {}, { elicitation: { form: {} } }],
    [{ elicitation: {} }, 'elicitation/create', { mode: 'url' }, { elicitation: { url: {} } }],
    [{ elicitation: { url: {} } }, 'elicitation/create', { mode: 'url' }, undefined],
    [{}, 'sampling/createMessage', {}, { sampling: {} }],
    [{ sampling: {} }, 'sampling/createMessage', {}, undefined],
    [{ sampling: {} }, 'sampling/createMessage', { tools: [] }, { sampling: { tools: {} } }],
    [{ sampling: { tools: {} } }, 'sampling/createMessage', { tools: [] }, undefined],
    [{}, 'roots/list', {}, { roots: {} }],
    [{ roots: { listChanged: true } }, 'roots/list', {}, undefined],
  ])('capabilities %j, asked for %s %j, lack %j', (declared, method, params, lacks) => {
    expect(missing(declared, [method, params])).toEqual(lacks)
  })

  test('the missing capabilities are named for all questions at once', () => {
    const asks = [
      ['elicitation/create', { mode: 'url' }],
      ['elicitation/create'],
      ['sampling/createMessage'],
      ['roots/list'],
    ] as const
    expect(missing({ roots: {} }, ...asks)).toEqual({ elicitation: { url: {} }, sampling: {} })
  })
})
