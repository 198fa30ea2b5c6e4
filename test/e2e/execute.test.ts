/**
 * POST /v1/execute from a REST client's view: the answer of a call, and the problem of each
 * refusal.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { balanceOf, createUser, syncSkill } from './admin.ts'
import { bearer, type HttpAnswer, postJson, send } from './http.ts'
import { startTwin, type Twin } from './twin.ts'

/** A port below 1024 without a service. */
const CLOSED = '127.0.0.1:1'

let twin: Twin
let users = 0

beforeAll(async () => {
  twin = await startTwin(['--memory', '--outbound-allow', CLOSED])
})

afterAll(async () => {
  await twin?.stop()
})

/** Each test has a user of its own, so that calls and credits of one do not count for another. */
function newUser(credits: number) {
  users += 1
  return createUser(twin, { username: `rest${users}`, credits })
}

function execute(key: string, body: unknown): Promise<HttpAnswer> {
  return postJson(twin.execute, body, bearer(key))
}

function problem(answer: HttpAnswer) {
  expect(answer.headers['content-type']).toContain('application/problem+json')
  const body = answer.json()
  expect(body['status']).toBe(answer.status)
  return body
}

test.each([
  ['no key', {}],
  ['an unknown key', bearer(`sgk_${'A'.repeat(43)}`)],
  ['a key without its scheme', { authorization: `sgk_${'A'.repeat(43)}` }],
  ['another scheme', { authorization: 'Basic ZGVtbzpkZW1v' }],
  ['an empty header', { authorization: '' }],
])('a request with %s gets 401 with a WWW-Authenticate header', async (_what, headers) => {
  const answer = await postJson(
    twin.execute,
    { skill: 'sg_echo', arguments: { text: 'x' } },
    headers,
  )
  expect(answer.status).toBe(401)
  expect(answer.headers['www-authenticate']).toContain('Bearer')
  expect(problem(answer)).toMatchObject({ code: 'unauthenticated' })
  expect(String(answer.json()['detail'])).toContain('Authorization')
})

test('a call without enough credits gets 402, and the balance stays', async () => {
  const { key, uid } = await newUser(0.75)
  const body = { skill: 'sg_weather', arguments: { city: 'Oslo' } }
  const paid = await execute(key, body)
  const refused = await execute(key, body)
  expect(paid.status).toBe(200)
  expect(refused.status).toBe(402)
  expect(problem(refused)).toMatchObject({
    code: 'insufficient_credits',
    callId: expect.any(String),
  })
  expect(await balanceOf(twin, uid)).toEqual({ credits: 0.25, onHold: 0 })
})

test('an unknown skill gets 404', async () => {
  const { key } = await newUser(0)
  const answer = await execute(key, { skill: 'sg_nothing' })
  expect(answer.status).toBe(404)
  expect(problem(answer)).toMatchObject({ code: 'unknown_skill' })
})

test.each([
  ['text/plain', 'text/plain'],
  ['a form', 'application/x-www-form-urlencoded'],
  ['another charset', 'application/json; charset=utf-16'],
])('a body declared as %s gets 415', async (_what, type) => {
  const answer = await send(twin.execute, {
    method: 'POST',
    headers: { ...bearer(twin.key), 'content-type': type },
    body: '{"skill":"sg_echo","arguments":{"text":"x"}}',
  })
  expect(answer.status).toBe(415)
  expect(problem(answer)).toMatchObject({ code: 'unsupported_media_type' })
  expect(String(answer.json()['detail'])).toContain('content-type: ')
})

test('arguments that do not fit get 422 with a pointer for each fault', async () => {
  const { key, uid } = await newUser(1)
  const wrong = await execute(key, { skill: 'sg_weather', arguments: { city: 7 } })
  const missing = await execute(key, { skill: 'sg_weather', arguments: {} })
  expect(wrong.status).toBe(422)
  expect(problem(wrong)).toMatchObject({
    code: 'invalid_arguments',
    errors: [{ pointer: '/city', message: expect.any(String) }],
  })
  expect(missing.status).toBe(422)
  expect(JSON.stringify(problem(missing)['errors'])).toContain('city')
  expect(await balanceOf(twin, uid)).toEqual({ credits: 1, onHold: 0 })
})

test.each([
  ['no object', [1], 'body'],
  ['no skill', {}, '/skill'],
  ['a skill that is no text', { skill: 7 }, '/skill'],
  ['a skill name of 257 characters', { skill: 'x'.repeat(257) }, '/skill'],
  ['arguments that are a list', { skill: 'sg_echo', arguments: [] }, '/arguments'],
  ['a field that nobody knows', { skill: 'sg_echo', argumnets: {} }, '/argumnets'],
])('a body with %s gets 400 and names the field', async (_what, body, field) => {
  const answer = await execute(twin.key, body)
  expect(answer.status).toBe(400)
  expect(problem(answer)).toMatchObject({ code: 'malformed' })
  expect(String(answer.json()['detail'])).toContain(field)
})

test('a failing upstream gives 502, and the credits are back before the answer says so', async () => {
  const { key, uid } = await newUser(5)
  const skill = await syncSkill(twin, { id: 'sg_fails', at: 'fail?status=503', price: 2 })
  const answer = await execute(key, { skill })
  expect(answer.status).toBe(502)
  expect(problem(answer)).toMatchObject({
    code: 'upstream_failed',
    credits: { charged: 2, refunded: 2, remaining: 5 },
  })
  expect(await balanceOf(twin, uid)).toEqual({ credits: 5, onHold: 0 })
})

test.each([
  ['answers 404', 'nothing', 'sg_lost'],
  ['nobody listens at', `http://${CLOSED}/`, 'sg_closed'],
  ['no name leads to', 'https://nothing.invalid/', 'sg_nameless'],
])('an upstream that %s gives 502, and the call is free', async (_what, at, id) => {
  const { key, uid } = await newUser(5)
  const skill = await syncSkill(twin, { id, at, price: 1 })
  const answer = await execute(key, { skill })
  expect(answer.status).toBe(502)
  expect(problem(answer)).toMatchObject({ code: 'upstream_failed' })
  expect(await balanceOf(twin, uid)).toEqual({ credits: 5, onHold: 0 })
})

test('a skill at a private address off the allow-list is refused when it is pushed', async () => {
  const pushing = syncSkill(twin, { id: 'sg_inside', at: 'http://127.0.0.1:2/', price: 1 })
  await expect(pushing).rejects.toThrow(/^422 instead of 201.*config.endpoint/s)
})
