/**
 * Limits over real HTTP: an input past one is refused with the limit and the remedy, none is a 5xx,
 * and an agent of another session works on after each of them.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { balanceOf, createUser, pushSkill, syncSkill } from './admin.ts'
import { type Agent, connectAgent } from './agent.ts'
import { type Gate, startGate } from './gate.ts'
import { bearer, send } from './http.ts'
import { openRawSession, type RawSession } from './raw-session.ts'
import { startTwin, type Twin } from './twin.ts'

const MIB = 1_048_576

let twin: Twin
let gate: Gate
let witness: Agent
let session: RawSession

beforeAll(async () => {
  gate = await startGate()
  const allowed = ['--outbound-allow', gate.host]
  twin = await startTwin(['--memory', '--calls-per-minute', '10000', ...allowed])
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
  gate.stop()
  expect(twin.said()).not.toContain('"level":"ERROR"')
})

/** A message of exactly this many bytes. */
function pingOf(bytes: number, id: string): string {
  const head = `{"jsonrpc":"2.0","id":"${id}","method":"ping","params":{"pad":"`
  const tail = '"}}'
  return head + 'x'.repeat(bytes - head.length - tail.length) + tail
}

/** A message with its deepest value at this level; the message itself is level one. */
function nested(depth: number, id: string): string {
  const lists = depth - 2
  return `{"jsonrpc":"2.0","id":"${id}","method":"ping","params":{"deep":${'['.repeat(lists)}${']'.repeat(lists)}}}`
}

test('a message of 1 MiB is accepted and answered', async () => {
  const posted = await session.post(pingOf(MIB, 'full'))
  expect(posted.status).toBe(202)
  expect(await session.message((data) => data.includes('"full"'))).toContain('"result":{}')
})

test('a message of 1 MiB and one byte gets 413 with the limit', async () => {
  const posted = await session.post(pingOf(MIB + 1, 'over'))
  expect(posted.status).toBe(413)
  expect(posted.json()).toMatchObject({ code: 'too_large', status: 413 })
  expect(String(posted.json()['detail'])).toContain('1048576 bytes')
})

test('a body of 5 MB without a declared length gets 413', async () => {
  const posted = await send(session.postUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    chunks: Array(50).fill(Buffer.alloc(100_000, 'x')),
  })
  expect(posted.status).toBe(413)
  expect(posted.json()).toMatchObject({ code: 'too_large' })
})

test('a message of 64 levels is accepted, and one of 65 is refused with the limit', async () => {
  const posted = await session.post(nested(64, 'deep'))
  expect(posted.status).toBe(202)
  expect(await session.message((data) => data.includes('"deep"'))).toContain('"result":{}')
  const refused = await session.post(nested(65, 'deeper'))
  expect(refused.status).toBe(400)
  expect(refused.json()['error']).toMatchObject({
    code: -32600,
    message: expect.stringContaining('64 levels'),
  })
})

test('a million brackets are refused for their depth', async () => {
  const refused = await session.post('['.repeat(1_000_000))
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('64 levels')
})

test('an id of 256 and a method of 128 characters are accepted', async () => {
  const id = 'i'.repeat(256)
  const posted = await session.post(`{"jsonrpc":"2.0","id":"${id}","method":"${'m'.repeat(128)}"}`)
  expect(posted.status).toBe(202)
  expect(await session.message((data) => data.includes(id))).toContain('-32601')
})

test('a tool name of 128 characters is unknown, and one of 129 is refused for its length', async () => {
  await session.post(call('n128', 't'.repeat(128)))
  await session.post(call('n129', 't'.repeat(129)))
  const taken = await session.message((data) => data.includes('"n128"'))
  const refused = await session.message((data) => data.includes('"n129"'))
  expect(taken).toContain('-32602')
  expect(taken).toContain('Unknown tool')
  expect(refused).toContain('-32602')
  expect(refused).toContain('128 characters')
})

test("a header of 8192 bytes passes, and one byte more gets 431 with the header's name", async () => {
  const ping = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
  const fits = await session.post(ping, { 'x-long': 'x'.repeat(8_192) })
  const over = await session.post(ping, { 'x-long': 'x'.repeat(8_193) })
  expect(fits.status).toBe(202)
  expect(over.status).toBe(431)
  expect(over.json()['detail']).toMatch(/x-long.*8192 bytes/)
})

test('headers of 40 kB in total get 431, and so do headers of 100 kB', async () => {
  const headers = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, 'x'.repeat(8_000)]))
  const over = await send(twin.sse, { headers: headers(5) })
  const farOver = await send(twin.sse, { headers: headers(13) })
  expect(over.status).toBe(431)
  expect(over.json()).toMatchObject({ code: 'headers_too_large' })
  expect(farOver.status).toBe(431)
})

test('an Authorization of 8192 bytes is an unknown key, and one byte more is refused for its length', async () => {
  const unknown = await send(twin.sse, { headers: bearer('k'.repeat(8_192 - 'Bearer '.length)) })
  expect(unknown.status).toBe(401)
  const over = await send(twin.sse, { headers: bearer('k'.repeat(8_193 - 'Bearer '.length)) })
  expect(over.status).toBe(431)
  expect(over.json()['detail']).toMatch(/authorization.*8192 bytes/)
})

test('256 requests at once are all answered, and the 257th is told to wait', async () => {
  const endpoint = `http://${gate.host}/`
  const gated = await pushSkill(twin, { id: 'sg_gated', config: { endpoint, method: 'GET' } })
  const busy = await openRawSession(twin.sse, twin.key)
  const ids = Array.from({ length: 256 }, (_, i) => `p${i}`)
  const posted = await Promise.all(ids.map((id) => busy.post(call(id, gated))))
  const last = await busy.post(call('one more', gated))
  gate.open()
  // On a busy machine the first ones may have been cut after 15 s, which is an answer too.
  for (const id of ids) await busy.message((data) => data.includes(`"id":"${id}"`))
  busy.close()
  expect(posted.map(({ status }) => status)).toEqual(ids.map(() => 202))
  expect(last.status).toBe(400)
  expect(last.json()).toMatchObject({ id: 'one more', error: { code: -32603 } })
  expect(last.text).toContain('256 requests since')
})

test('POST /v1/execute has the same limits', async () => {
  const pad = (bytes: number) => {
    const head = '{"skill":"sg_echo","arguments":{"text":"'
    return `${head}${'x'.repeat(bytes - head.length - 3)}"}}`
  }
  const post = (body: string) =>
    send(twin.execute, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(twin.key) },
      body,
    })
  const over = await post(pad(MIB + 1))
  const under = await post(pad(900_000))
  const deep = await post(
    `{"skill":"sg_echo","arguments":{"text":${'['.repeat(63)}${']'.repeat(63)}}}`,
  )
  const proto = await post('{"skill":"sg_echo","arguments":{"__proto__":{"text":"x"}}}')
  expect(over.status).toBe(413)
  expect(over.json()).toMatchObject({ code: 'too_large' })
  expect(under.status).toBe(200)
  expect(deep.status).toBe(413)
  expect(String(deep.json()['detail'])).toContain('64 levels')
  expect(proto.status).toBe(400)
  expect(String(proto.json()['detail'])).toContain('__proto__')
})

test('an answer that would make a reply past 1 MiB is kept, read in parts and paid once', async () => {
  const echo = await syncSkill(twin, { id: 'sg_paid', at: 'echo', price: 1, method: 'POST' })
  const rich = await createUser(twin, { username: 'rich', credits: 10 })
  const own = await openRawSession(twin.sse, rich.key)
  // 400 kB of quotes are 800 kB as the JSON of the upstream, and 1.6 MB as a text within ours.
  await own.post(call('big', echo, { text: '"'.repeat(400_000) }))
  const reply = await own.message((data) => data.includes('"big"'))
  expect(reply).toContain('"isError":false')
  expect(reply).toContain('The answer has 800080 bytes of application/json and is kept')
  expect(Buffer.byteLength(reply)).toBeLessThan(MIB)
  const [uri] = /skillgate:\/\/results\/[\w-]+/.exec(reply) ?? []
  const range = { from: 800_070, bytes: 10 }
  await own.post(call('end', 'sg_read_result', { uri, range }))
  const end = await own.message((data) => data.includes('"end"'))
  own.close()
  expect(end).toContain('"isError":false')
  expect(end).toContain('800080')
  await expect.poll(() => balanceOf(twin, rich.uid)).toEqual({ credits: 9, onHold: 0 })
})

function call(id: string, name: string, args: object = {}): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  })
}
