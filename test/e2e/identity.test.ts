/** Identities: two keys at once, the identity of a session, no key, a wrong key. */
import { SseError } from '@modelcontextprotocol/sdk/client/sse.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listWith } from '../core/flow/built-in.ts'
import { createUser, syncSkill } from './admin.ts'
import { connectAgent } from './agent.ts'
import { fieldsOf, readJsonObject } from './fields.ts'
import { bearer, send } from './http.ts'
import { openRawSession } from './raw-session.ts'
import { startTwin, type Twin } from './twin.ts'

const UNKNOWN_KEY = `sgk_${'A'.repeat(43)}`

let twin: Twin

beforeAll(async () => {
  twin = await startTwin(['--memory', '--calls-per-minute', '10000'])
})

afterAll(async () => {
  await twin?.stop()
})

test('two keys in two sessions at once never see each other’s replies', async () => {
  const ours = await openRawSession(twin.sse, twin.key)
  const theirs = await openRawSession(twin.sse, twin.secondKey)
  const ids = Array.from({ length: 20 }, (_, i) => i)
  // The same ids in both sessions, so that only the session can decide which reply belongs to
  // which.
  await Promise.all(
    ids.flatMap((id) => [
      ours.post(echo(id, `ours-${id}.`)),
      theirs.post(echo(id, `theirs-${id}.`)),
    ]),
  )
  for (const id of ids) {
    await ours.message((data) => data.includes(`ours-${id}.`))
    await theirs.message((data) => data.includes(`theirs-${id}.`))
  }
  ours.close()
  theirs.close()
  const bytesOf = (session: typeof ours) => session.pieces.map(({ text }) => text).join('')
  expect(ours.messages).toHaveLength(20)
  expect(theirs.messages).toHaveLength(20)
  expect(bytesOf(ours)).not.toContain('theirs-')
  expect(bytesOf(theirs)).not.toContain('ours-')
})

test('a private tool is listed and run for its owner, and is unknown to everyone else', async () => {
  const ann = await createUser(twin, { username: 'ann', credits: 10 })
  const bob = await createUser(twin, { username: 'bob', credits: 10 })
  const forAnn = await syncSkill(twin, { id: 'diary', at: 'echo?by=ann', uid: ann.uid, price: 1 })
  const forBob = await syncSkill(twin, { id: 'ledger', at: 'echo?by=bob', uid: bob.uid, price: 2 })
  const annsAgent = await connectAgent(twin.sse, ann.key)
  const bobsAgent = await connectAgent(twin.sse, bob.key)
  const [annsTools, bobsTools] = await Promise.all([annsAgent.toolNames(), bobsAgent.toolNames()])
  const [annsCall, bobsCall] = await Promise.all([annsAgent.call(forAnn), bobsAgent.call(forBob)])
  const strangers = await Promise.all(
    [
      annsAgent.call(forBob),
      bobsAgent.call(forAnn),
      bobsAgent.call('diary'),
      bobsAgent.call('sg_diary'),
    ].map((calling) => calling.catch((cause: unknown) => cause)),
  )
  await Promise.all([annsAgent.close(), bobsAgent.close()])
  expect([forAnn, forBob]).toEqual(['ann_sg_diary', 'bob_sg_ledger'])
  expect(annsTools).toContain('ann_sg_diary')
  expect(annsTools).not.toContain('bob_sg_ledger')
  expect(bobsTools).toContain('bob_sg_ledger')
  expect(bobsTools).not.toContain('ann_sg_diary')
  expect(annsCall.text).toContain('"by":"ann"')
  expect(bobsCall.text).toContain('"by":"bob"')
  expect(strangers).toEqual(strangers.map(() => expect.objectContaining({ code: -32602 })))
})

test('the key of a POST is ignored: the session keeps the identity of its GET', async () => {
  const session = await openRawSession(twin.sse, twin.key)
  for (const [id, key] of [twin.secondKey, UNKNOWN_KEY, '!'].entries()) {
    const posted = await session.post(call(id, 'sg_account', {}), bearer(key))
    const reply = await session.message((data) => data.includes(`"id":${id},`))
    expect(posted.status).toBe(202)
    expect(reply).toContain('\\"username\\":\\"demo\\"')
  }
  session.close()
})

test('an anonymous session gains no identity by a key in a POST', async () => {
  const session = await openRawSession(twin.sse)
  await session.post(call(1, 'sg_echo', { text: 'hi' }), bearer(twin.key))
  const reply = readJsonObject(await session.message(() => true))
  session.close()
  expect(fieldsOf(reply, 'result')['isError']).toBe(true)
})

test('a client without a key lists the shared tools, and its call is told to get a key', async () => {
  const owned = await syncSkill(twin, { id: 'own', at: 'joke', uid: twin.uid })
  const agent = await connectAgent(twin.sse)
  const names = await agent.toolNames()
  const called = await agent.call('sg_weather', { city: 'Oslo' })
  const account = await agent.call('sg_account')
  await agent.close()
  expect(names.toSorted()).toEqual(listWith('sg_echo', 'sg_slow', 'sg_weather'))
  expect(names).not.toContain(owned)
  expect(called.isError).toBe(true)
  expect(called.text).toContain('API key')
  expect(called.text).toContain('Authorization: Bearer')
  expect(account.isError).toBe(true)
})

test('a wrong key gets 401 with words that help', async () => {
  const error: unknown = await connectAgent(twin.sse, UNKNOWN_KEY).catch((cause: unknown) => cause)
  const answer = await send(twin.sse, { headers: bearer(UNKNOWN_KEY) })
  expect(error).toBeInstanceOf(SseError)
  expect(error).toMatchObject({ code: 401 })
  expect(answer.status).toBe(401)
  expect(answer.headers['content-type']).toContain('application/problem+json')
  expect(answer.headers['www-authenticate']).toContain('Bearer')
  expect(answer.json()).toMatchObject({ code: 'unauthenticated', status: 401 })
})

test('a client that takes the 401 for OAuth is told about API keys', async () => {
  const paths = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server']
  for (const path of paths) {
    const answer = await send(new URL(path, twin.url))
    expect(answer.status).toBe(404)
    expect(JSON.stringify(answer.json())).toContain('API key')
  }
  const register = await send(new URL('/register', twin.url), { method: 'POST', body: '{}' })
  expect(register.status).toBe(404)
  expect(JSON.stringify(register.json())).toContain('API key')
})

function echo(id: number, text: string): string {
  return call(id, 'sg_echo', { text })
}

function call(id: number, name: string, args: object): string {
  const params = JSON.stringify({ name, arguments: args })
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`
}
