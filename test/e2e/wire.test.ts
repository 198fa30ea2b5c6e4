/** The wire, byte for byte: the first block, heartbeats, ids, and 20 calls at once. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fieldsOf, readJsonObject } from './fields.ts'
import { openRawSession, type RawSession } from './raw-session.ts'
import { startTwin, type Twin } from './twin.ts'
import { untilTrue } from './wait.ts'

let twin: Twin
const open: RawSession[] = []

beforeAll(async () => {
  twin = await startTwin(['--memory'])
})

afterAll(async () => {
  for (const session of open) session.close()
  await twin?.stop()
})

async function newSession(): Promise<RawSession> {
  const session = await openRawSession(twin.sse, twin.key)
  open.push(session)
  return session
}

test('the first block leaves before anything is sent, and is the endpoint event with its retry', async () => {
  const session = await newSession()
  const [first] = session.pieces
  expect(first?.text).toMatch(
    /^retry: 1000\nevent: endpoint\ndata: \/v1\/mcp\/messages\?session_id=[A-Za-z0-9_-]{43}\n\n/,
  )
})

test('a quiet stream carries an empty comment every 5 s, one notice that the list is new, and nothing else', async () => {
  const session = await newSession()
  const openedMs = performance.now()
  const quiet = () => session.pieces.filter(({ atMs }) => atMs - openedMs > 2_500)
  const beats = () => quiet().filter(({ text }) => text.endsWith(':\n\n'))
  await untilTrue(() => (beats().at(-1)?.atMs ?? 0) - openedMs > 9_000)
  const late = quiet()
  const news =
    'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n'
  // A comment of its own follows each message, so that no host holds the message back.
  expect(late.map(({ text }) => text).join('')).toBe(`:\n\n${news}:\n\n:\n\n`)
  const [first, second] = [late.at(0), late.at(-1)].map((piece) => (piece?.atMs ?? 0) - openedMs)
  expect(first).toBeGreaterThan(4_800)
  expect(second).toBeGreaterThan(9_800)
})

const IDS = [
  '0',
  '-1',
  '9007199254740993',
  '-12345678901234567890',
  '"str"',
  '""',
  '"\\"quoted\\" — ü"',
]

test.each(IDS)('a request with the id %s is answered with the id as it came', async (id) => {
  const session = await newSession()
  const posted = await session.post(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)
  expect(posted.status).toBe(202)
  const reply = await session.message(() => true)
  expect(reply).toBe(`{"jsonrpc":"2.0","id":${id},"result":{}}`)
})

test('a request is accepted before its work, and answered on the stream only', async () => {
  const session = await newSession()
  const posted = await session.post(call('"a"', 'sg_slow', { seconds: 1 }))
  const seenBefore = session.messages.length
  const reply = await session.message(() => true)
  expect(posted.status).toBe(202)
  expect(posted.text).not.toContain('jsonrpc')
  expect(seenBefore).toBe(0)
  expect(reply).toContain('"id":"a"')
})

test('replies leave in the order in which they are ready, not in the order of their requests', async () => {
  const session = await newSession()
  await session.post(call('1', 'sg_slow', { seconds: 1 }))
  await session.post(call('2', 'sg_echo', { text: 'quick' }))
  await session.message((data) => data.includes('"id":1,'))
  expect(session.messages.map((data) => readJsonObject(data)['id'])).toEqual([2, 1])
})

test('20 calls at once get 20 replies, one for each id', async () => {
  const session = await newSession()
  const ids = Array.from({ length: 20 }, (_, i) => i)
  const posted = await Promise.all(
    ids.map((id) => session.post(call(String(id), 'sg_echo', { text: `<${id}>` }))),
  )
  await Promise.all(ids.map((id) => session.message((data) => data.includes(`"id":${id},`))))
  // A duplicate reply would come a moment later.
  await sleep(1_000)
  expect(posted.map(({ status }) => status)).toEqual(ids.map(() => 202))
  const replies = session.messages.map(readJsonObject)
  expect(replies.map((reply) => Number(reply['id'])).toSorted((a, b) => a - b)).toEqual(ids)
  for (const reply of replies) {
    expect(JSON.stringify(fieldsOf(reply, 'result'))).toContain(`<${Number(reply['id'])}>`)
  }
})

test('notifications and responses are accepted with 202 and never answered', async () => {
  const session = await newSession()
  const texts = [
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","method":"notifications/of-tomorrow","params":{"a":1}}',
    '{"jsonrpc":"2.0","id":7,"result":{}}',
    '{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"no ping here"}}',
  ]
  for (const text of texts) expect((await session.post(text)).status).toBe(202)
  await session.post('{"jsonrpc":"2.0","id":1,"method":"ping"}')
  await session.message(() => true)
  await sleep(500)
  expect(session.messages).toEqual(['{"jsonrpc":"2.0","id":1,"result":{}}'])
})

function call(id: string, name: string, args: object): string {
  const params = JSON.stringify({ name, arguments: args })
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`
}
