/** The users' API of a twin: a user does alone what otherwise needs an administrator. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OWN_KEYS_MAX } from '../../core/access/limits.ts'
import { createUser, settledBalance, syncSkill } from './admin.ts'
import { numberOf, stringOf } from './fields.ts'
import { bearer, type HttpAnswer, postJson, send } from './http.ts'
import { startTwin, type Twin } from './twin.ts'

let twin: Twin

beforeAll(async () => {
  twin = await startTwin(['--memory'])
})

afterAll(async () => {
  await twin?.stop()
})

const me = (key: string, path = '', method = 'GET') =>
  send(`${twin.url}/v1/me${path}`, { method, headers: bearer(key) })
const post = (key: string, path: string, body: object): Promise<HttpAnswer> =>
  postJson(`${twin.url}/v1/me${path}`, body, bearer(key))

test('a user sees the account, tries a tool, and finds the call with its charge', async () => {
  const { key, uid } = await createUser(twin, { username: 'mia', credits: 3 })
  const tool = await syncSkill(twin, { id: 'sg_mine', at: 'echo', price: 0.5 })
  expect((await me(key)).json()).toMatchObject({
    uid,
    credits: 3,
    mayManage: true,
    urls: { mcp: `${twin.url}/mcp`, execute: twin.execute },
  })
  const listed = await me(key, `/tools?search=${tool}`)
  expect(listed.text).toContain('"price":0.5')
  const tried = await post(key, '/calls', { skill: tool, arguments: { text: 'hello' } })
  expect([tried.status, tried.json()]).toMatchObject([200, { credits: { charged: 0.5 } }])
  expect(await settledBalance(twin, uid)).toBe(2.5)
  const call = await me(key, `/calls/${stringOf(tried.json(), 'callId')}`)
  expect(call.json()).toMatchObject({ outcome: 'settled', charged: 0.5, door: 'rest' })
  expect(call.text).not.toContain('upstreamHost')
})

test('a user makes a key, calls with it, and revokes it', async () => {
  const { key } = await createUser(twin, { username: 'noa', credits: 1 })
  const made = (await post(key, '/keys', {})).json()
  const second = stringOf(made, 'key')
  expect((await me(second)).status).toBe(200)
  const revoked = await me(key, `/keys/${stringOf(made, 'keyId')}`, 'DELETE')
  expect(numberOf(revoked.json(), 'keysLeft')).toBe(1)
  expect((await me(second)).status).toBe(401)
})

test('20 keys made at once near the limit never exceed it', async () => {
  const { key, uid } = await createUser(twin, { username: 'lou', credits: 1 })
  for (let made = 1; made < OWN_KEYS_MAX - 5; made += 1) {
    await postJson(`${twin.admin}/users/${uid}/keys`, {}, bearer(twin.internalApiSecret))
  }
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(key, '/keys', {})))
  const made = answers.filter(({ status }) => status === 201).length
  const { keys } = (await me(key, '/keys?limit=100')).json()
  const stored = Array.isArray(keys) ? keys.length : 0
  expect(stored).toBeLessThanOrEqual(OWN_KEYS_MAX)
  expect(stored).toBe(OWN_KEYS_MAX - 5 + made)
})

test('another host name and a page of another site are refused before any credential', async () => {
  const headers = { ...bearer('x'), origin: 'https://evil.example' }
  expect((await send(`${twin.url}/v1/me`, { headers })).status).toBe(403)
  expect((await send(`${twin.url}/v1/me`)).status).toBe(401)
  expect((await send(`${twin.url}/v1/menu`)).status).toBe(404)
})
