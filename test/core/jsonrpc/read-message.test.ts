import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ID_LENGTH_MAX,
  ID_NUMBER_LENGTH_MAX,
  METHOD_LENGTH_MAX,
  readMessage,
  readPosted,
} from '../../../core/jsonrpc/read-message.ts'

const FUZZ = { seed: 20_241_105, numRuns: 2000 }

/** The error that answers a refused text: [code, message, id]. */
function answerTo(text: string | Uint8Array): [number, string, string | null] {
  const read = readMessage(text)
  if (read.ok) throw new Error('was not refused')
  return [read.error.error.code, read.error.error.message, read.error.id]
}

function messageOf(text: string) {
  const read = readMessage(text)
  if (!read.ok) throw new Error(read.error.error.message)
  return read.value
}

function withId(id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"ping"}`
}

describe('messages', () => {
  test('a message with method and id is a request', () => {
    expect(
      messageOf('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}'),
    ).toEqual({
      kind: 'request',
      id: '1',
      method: 'tools/call',
      params: { name: 'a' },
    })
  })

  test('a message with a method alone is a notification', () => {
    expect(messageOf('{"jsonrpc":"2.0","method":"notifications/initialized"}')).toEqual({
      kind: 'notification',
      method: 'notifications/initialized',
      params: undefined,
    })
  })

  test('a message with result or error and no method is a response with that answer', () => {
    const result = '{"jsonrpc":"2.0","id":"p1","result":{"action":"accept"}}'
    const error = '{"jsonrpc":"2.0","id":2.0,"error":{"code":-32601,"message":"no","data":[1]}}'
    expect(messageOf(result)).toEqual({
      kind: 'response',
      id: '"p1"',
      answer: { result: { action: 'accept' } },
    })
    expect(messageOf(error)).toEqual({
      kind: 'response',
      id: '2.0',
      answer: { error: { code: -32601, message: 'no', data: [1] } },
    })
  })

  test('a result may be null; an error without a code counts as an internal error', () => {
    expect(messageOf('{"jsonrpc":"2.0","id":1,"result":null}')).toMatchObject({
      answer: { result: null },
    })
    for (const error of ['null', '7', '{}', '{"code":"x","message":1}']) {
      expect(messageOf(`{"jsonrpc":"2.0","id":1,"error":${error}}`)).toMatchObject({
        answer: { error: { code: -32603, message: '' } },
      })
    }
  })

  test('an error response may have a null id or none, a result may not', () => {
    for (const text of ['{"jsonrpc":"2.0","id":null,"error":{}}', '{"jsonrpc":"2.0","error":{}}']) {
      expect(messageOf(text)).toEqual({
        kind: 'response',
        id: 'null',
        answer: { error: { code: -32603, message: '' } },
      })
    }
    expect(answerTo('{"jsonrpc":"2.0","result":{}}')).toEqual([
      -32600,
      'id: is missing; a response names its request',
      null,
    ])
    expect(answerTo('{"jsonrpc":"2.0","id":null,"result":{}}')[0]).toBe(-32600)
    expect(answerTo('{"jsonrpc":"2.0","id":{},"error":{}}')[0]).toBe(-32600)
  })

  test('params that are null are params that are absent; an array is left to MCP to refuse', () => {
    const nulled = '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}'
    expect(messageOf(nulled)).toEqual({
      kind: 'request',
      id: '1',
      method: 'ping',
      params: undefined,
    })
    const array = '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}'
    expect(messageOf(array)).toEqual({ kind: 'request', id: '1', method: 'ping', params: [1] })
  })

  test('bytes are read in the same way as text', () => {
    const text = '{"jsonrpc":"2.0","id":"é","method":"ping"}'
    expect(readMessage(new TextEncoder().encode(text))).toEqual(readMessage(text))
  })
})

describe('ids', () => {
  // Holds: RPC-4
  test('an id comes back as it came', () => {
    const ids = [
      '0',
      '-7',
      '1',
      '-0',
      '1.0',
      '9007199254740993',
      '12345678901234567890',
      '""',
      '"a"',
    ]
    for (const id of ids) expect(messageOf(withId(id))).toMatchObject({ kind: 'request', id })
  })

  test('only the id of the message itself counts', () => {
    const text =
      '{"jsonrpc":"2.0","method":"ping","params":{"id":1.0,"a":[{"id":2.0}]},"id":12345678901234567890}'
    expect(messageOf(text)).toMatchObject({ id: '12345678901234567890' })
  })

  // Holds: RPC-3
  test('null, objects, arrays, booleans and fractions are refused', () => {
    for (const id of ['null', '{}', '[]', 'true', '1.5', '1e2', '1e400']) {
      expect(answerTo(withId(id))).toEqual([-32600, expect.stringMatching(/^id: /), null])
    }
    expect(answerTo(withId('1.5'))[1]).toBe(
      'id: is not an integer; write it without fraction or exponent',
    )
  })

  test('a string id of 256 characters passes and one more is refused', () => {
    expect(ID_LENGTH_MAX).toBe(256)
    const longest = `"${'x'.repeat(256)}"`
    expect(messageOf(withId(longest))).toMatchObject({ id: longest })
    expect(answerTo(withId(`"${'x'.repeat(257)}"`))).toEqual([
      -32600,
      'id: is over 256 characters; use a UUID',
      null,
    ])
  })

  test('a string id with half of a surrogate pair is refused, and not sent back', () => {
    expect(answerTo(withId('"x\\ud83d"'))).toEqual([
      -32600,
      'body at /id: the text holds half of a surrogate pair; send whole characters',
      null,
    ])
  })

  test('a number id of 64 digits passes and one more is refused', () => {
    expect(ID_NUMBER_LENGTH_MAX).toBe(64)
    expect(messageOf(withId('9'.repeat(64)))).toMatchObject({ id: '9'.repeat(64) })
    expect(answerTo(withId('9'.repeat(65)))).toEqual([
      -32600,
      'id: is over 64 characters; use a shorter one or a string',
      null,
    ])
  })

  test('any JSON value as an id gives the same text back or -32600', () => {
    const anyId = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
      fc.bigInt().map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    )
    fc.assert(
      fc.property(anyId, (id) => {
        const read = readMessage(withId(id))
        if (read.ok) expect(read.value).toMatchObject({ kind: 'request', id })
        else expect(read.error.error.code).toBe(-32600)
      }),
      FUZZ,
    )
  })
})

describe('refusals', () => {
  // Holds: RPC-2
  test('a text that is not JSON is -32700 with a null id', () => {
    expect(answerTo('{"id":1')).toEqual([-32700, expect.stringMatching(/^body: is not JSON/), null])
    expect(answerTo('')).toEqual([-32700, 'body: is empty; send one JSON value', null])
    expect(answerTo(new Uint8Array([0xff]))).toEqual([
      -32700,
      'body: is not valid UTF-8; send JSON encoded as UTF-8',
      null,
    ])
  })

  test('a batch is -32600 and asks for single messages', () => {
    for (const text of ['[]', `[${withId('1')}]`]) {
      expect(answerTo(text)).toEqual([
        -32600,
        'body: there are no batches here; send one message per POST',
        null,
      ])
    }
  })

  test('a value other than an object is -32600', () => {
    for (const text of ['1', 'null', '"ping"', 'true']) {
      expect(answerTo(text)).toEqual([-32600, 'body: must be a JSON-RPC 2.0 message object', null])
    }
  })

  // Holds: RPC-1
  test('a wrong or missing version is -32600 with the id', () => {
    for (const version of ['"jsonrpc":"1.0",', '"jsonrpc":2.0,', '']) {
      expect(answerTo(`{${version}"id":0,"method":"ping"}`)).toEqual([
        -32600,
        'jsonrpc: must be the string "2.0"',
        '0',
      ])
    }
  })

  test('a method that is missing, empty or no string is -32600 with the id', () => {
    expect(answerTo('{"jsonrpc":"2.0","id":"a"}')).toEqual([
      -32600,
      'method: is missing; name one, as in "tools/list"',
      '"a"',
    ])
    for (const method of ['""', '1', 'null', '{}']) {
      expect(answerTo(`{"jsonrpc":"2.0","id":3,"method":${method}}`)).toEqual([
        -32600,
        'method: must be a string that is not empty',
        '3',
      ])
    }
  })

  test('a method of 128 characters passes and one more is refused', () => {
    expect(METHOD_LENGTH_MAX).toBe(128)
    const of = (length: number) => `{"jsonrpc":"2.0","id":1,"method":"${'m'.repeat(length)}"}`
    expect(messageOf(of(128))).toMatchObject({ method: 'm'.repeat(128) })
    expect(answerTo(of(129))).toEqual([
      -32600,
      'method: is over 128 characters; no method has such a name',
      '1',
    ])
  })

  test('params that are neither object nor array are -32600 with the id', () => {
    for (const params of ['1', '"x"', 'true']) {
      expect(answerTo(`{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}`)).toEqual([
        -32600,
        'params: must be an object; leave it out when there are none',
        '1',
      ])
    }
  })

  test('forbidden content is -32600 with its place and the id', () => {
    const text =
      '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"arguments":{"__proto__":1}}}'
    expect(answerTo(text)).toEqual([
      -32600,
      'body at /params/arguments/__proto__: the name `__proto__` is refused; rename it',
      '9',
    ])
  })

  test('a body past a limit is -32600 with its own HTTP status', () => {
    const deep = readMessage('['.repeat(65))
    const long = readMessage('x'.repeat(11), { bytesMax: 10 })
    expect(deep).toMatchObject({ error: { code: 'too_large', id: null, error: { code: -32600 } } })
    expect(long).toMatchObject({ error: { code: 'too_large', id: null, error: { code: -32600 } } })
    expect(readMessage('{')).toMatchObject({ error: { code: 'malformed' } })
  })

  test('no message makes the reader throw', () => {
    const part = fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined })
    const message = fc.record({
      jsonrpc: fc.constantFrom('2.0', '1.0', 2),
      id: part,
      method: fc.oneof(fc.string(), part),
      params: part,
      result: part,
      error: part,
    })
    const text = fc.oneof(
      message.map((value) => JSON.stringify(value)),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.oneof(text, fc.uint8Array({ maxLength: 100 })), (input) => {
        const read = readMessage(input)
        if (!read.ok) expect([-32700, -32600]).toContain(read.error.error.code)
      }),
      FUZZ,
    )
  })
})

describe('a message of a transport with batches', () => {
  test('a transport with batches reads one message, with the text that it was parsed from', () => {
    const text = '{"jsonrpc":"2.0","id":1.0,"method":"ping"}'
    expect(readPosted(new TextEncoder().encode(`\uFEFF${text}`))).toEqual({
      ok: true,
      value: {
        kind: 'message',
        message: { kind: 'request', id: '1.0', method: 'ping', params: undefined },
        text,
      },
    })
  })

  test('a transport with batches reads an array as it is, whatever is in it', () => {
    expect(readPosted('[]')).toEqual({ ok: true, value: { kind: 'batch', values: [], text: '[]' } })
    expect(readPosted(' [1,{}]')).toEqual({
      ok: true,
      value: { kind: 'batch', values: [1, {}], text: ' [1,{}]' },
    })
  })
})
