/**
 * Bad input over real HTTP: each is refused with words that say what to correct, none is a 5xx, and
 * an agent of another session works on after each of them.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Agent, connectAgent } from './agent.ts'
import { type Fields, fieldsOf } from './fields.ts'
import type { HttpAnswer } from './http.ts'
import { openRawSession, type RawSession } from './raw-session.ts'
import { startTwin, type Twin } from './twin.ts'

let twin: Twin
let witness: Agent
let session: RawSession

beforeAll(async () => {
  twin = await startTwin(['--memory', '--calls-per-minute', '10000'])
  witness = await connectAgent(twin.sse, twin.secondKey)
  session = await openRawSession(twin.sse, twin.key)
})

afterEach(async () => {
  const called = await witness.call('sg_echo', { text: 'still here' })
  expect(called.isError).toBe(false)
  expect(witness.posted.filter((method) => method === 'initialize')).toHaveLength(1)
})

afterAll(async () => {
  session?.close()
  await witness?.close()
  await twin?.stop()
  expect(twin.said()).not.toContain('"level":"ERROR"')
})

const BAD: readonly (readonly [string, string | Uint8Array, number, string])[] = [
  [
    'invalid UTF-8',
    Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"pi'),
      Buffer.of(0xff, 0xfe),
      Buffer.from('"}'),
    ]),
    -32700,
    'UTF-8',
  ],
  ['a raw NUL byte', '{"jsonrpc":"2.0","id":1,"method":"ping\u0000"}', -32700, 'NUL'],
  [
    'an escaped NUL',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\u0000"}}',
    -32600,
    'U+0000',
  ],
  [
    'half a surrogate pair',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}',
    -32600,
    'surrogate',
  ],
  [
    '__proto__',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{"a":1}}}',
    -32600,
    '__proto__',
  ],
  [
    'constructor.prototype',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"constructor":{"prototype":{}}}}',
    -32600,
    'constructor',
  ],
  ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, 'batch'],
  ['an empty batch', '[]', -32600, 'batch'],
  ['a text', '"ping"', -32600, 'object'],
  ['no JSON', '{"jsonrpc":"2.0","id":1,', -32700, 'not JSON'],
  ['nothing', '', -32700, 'empty'],
  ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 'jsonrpc'],
  ['no method', '{"jsonrpc":"2.0","id":1}', -32600, 'method'],
  ['a null id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, 'id'],
  ['a fraction as id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, 'id'],
  [
    'an id of 257 characters',
    `{"jsonrpc":"2.0","id":"${'i'.repeat(257)}","method":"ping"}`,
    -32600,
    '256',
  ],
  [
    'a method of 129 characters',
    `{"jsonrpc":"2.0","id":1,"method":"${'m'.repeat(129)}"}`,
    -32600,
    '128',
  ],
]

test.each(BAD)(
  '%s gives a JSON-RPC error that says what to correct',
  async (_what, body, code, words) => {
    const error = rpcError(await session.post(body))
    expect(error['code']).toBe(code)
    expect(error['message']).toContain(words)
  },
)

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=latin1',
  '',
])('a message of the content type "%s" gets 415', async (type) => {
  const posted = await session.post('{"jsonrpc":"2.0","id":1,"method":"ping"}', {
    'content-type': type,
  })
  expect(posted.status).toBe(415)
  expect(String(posted.json()['detail'])).toContain('content-type')
})

test('content types that mean JSON are accepted in every spelling', async () => {
  for (const type of ['application/json', 'Application/JSON ; charset="UTF-8"']) {
    const posted = await session.post('{"jsonrpc":"2.0","method":"notifications/initialized"}', {
      'content-type': type,
    })
    expect(posted.status).toBe(202)
  }
})

function rpcError(answer: HttpAnswer): Fields {
  expect(answer.status).toBe(400)
  expect(answer.headers['content-type']).toContain('application/json')
  expect(answer.json()['jsonrpc']).toBe('2.0')
  return fieldsOf(answer.json(), 'error')
}
