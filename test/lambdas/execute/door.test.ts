import { describe, expect, test } from 'vitest'
import { writeCredential } from '../../../adapters/internal-http/credential-header.ts'
import { credentialOf } from '../../../bench/lib/credential.ts'
import { createExecuteDoor } from '../../../lambdas/execute/door.ts'
import { START_MS } from '../../core/flow/manual-clock.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { ask, contextOf, eventOf, MemoryResponse, type SentRequest } from '../door-client.ts'

const CALL = 'c'.repeat(43)
const BODY = { skill: 'sg_weather', arguments: {} }

async function ready() {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_weather')
  return { world, ada, door: createExecuteDoor(world.ports, world.settings) }
}

function send(world: World, sent: SentRequest, path = '/v1/execute') {
  return ask(createExecuteDoor(world.ports, world.settings), 'POST', path, { body: BODY, ...sent })
}

describe('POST /v1/execute', () => {
  test('runs the skill for the owner of the key, with RateLimit headers', async () => {
    const { world, ada } = await ready()
    const out = await send(world, { headers: { authorization: ada } })
    expect(out.status).toBe(200)
    expect(out.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      ratelimit: '"minute";r=59;t=40',
      'ratelimit-policy': '"minute";q=60;w=60',
    })
    expect(out.json()).toMatchObject({
      skillId: 'sg_weather',
      isError: false,
      structuredContent: { sunny: true },
      credits: { charged: 1, refunded: 0, remaining: 99 },
    })
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
  })

  test('answers before it settles', async () => {
    const { world, ada, door } = await ready()
    const out = new MemoryResponse()
    let endedBeforeOutcome = false
    const { decide } = world.ports.ledger
    world.ports.ledger = {
      ...world.ports.ledger,
      decide: (outcome) => {
        endedBeforeOutcome = out.writableFinished
        return decide(outcome)
      },
    }
    const slow = createExecuteDoor(world.ports, world.settings)
    expect(door).not.toBe(slow)
    const headers = { authorization: ada }
    await slow(eventOf('POST', '/v1/execute', { body: BODY, headers }), out, contextOf())
    expect(endedBeforeOutcome).toBe(true)
  })

  test('settles while the reader is slow: a slowly read call has not failed, and is charged', async () => {
    const { world, ada, door } = await ready()
    const out = new MemoryResponse()
    let read = () => {}
    out._write = (_chunk, _encoding, done) => {
      read = done
    }
    const headers = { authorization: ada }
    const done = door(eventOf('POST', '/v1/execute', { body: BODY, headers }), out, contextOf())
    await world.clock.advance(1_999)
    expect(await world.credits('ada')).toEqual({ free: 99, held: 1 })
    await world.clock.advance(1)
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
    read()
    await done
    expect([out.writableFinished, world.clock.sleepers()]).toEqual([true, 0])
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
  })

  test('a failed call is a problem document with the charge and the refund', async () => {
    const { world, ada } = await ready()
    world.upstream.next({ kind: 'answer', status: 503 })
    const out = await send(world, { headers: { authorization: ada } })
    expect([out.status, out.headers['content-type']]).toEqual([502, 'application/problem+json'])
    expect(out.json()).toMatchObject({
      type: 'about:blank',
      code: 'upstream_failed',
      credits: { charged: 1, refunded: 1, remaining: 100 },
    })
  })

  test('a call without a key is 401 with WWW-Authenticate', async () => {
    const { world } = await ready()
    const out = await send(world, {})
    expect([out.status, out.headers['www-authenticate']]).toEqual([401, 'Bearer realm="skillgate"'])
  })

  test('a caller that disconnects ends the call without a charge', async () => {
    const { world, ada, door } = await ready()
    world.upstream.next({ kind: 'hang' })
    const out = new MemoryResponse()
    const headers = { authorization: ada }
    const done = door(eventOf('POST', '/v1/execute', { body: BODY, headers }), out, contextOf())
    await world.clock.settle()
    expect(await world.credits('ada')).toEqual({ free: 99, held: 1 })
    out.destroy()
    await world.clock.settle()
    await done
    expect(world.upstream.cuts()).toBe(1)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test.each([
    ['no JSON', '{', 400, 'malformed'],
    ['nothing', '', 400, 'malformed'],
    ['a list', '[]', 400, 'malformed'],
    ['no skill', '{}', 400, 'malformed'],
    ['an unknown field', '{"skill":"sg_weather","args":{}}', 400, 'malformed'],
    ['arguments that are no object', '{"skill":"sg_weather","arguments":[]}', 400, 'malformed'],
    ['a name of 257 characters', `{"skill":"${'a'.repeat(257)}"}`, 400, 'malformed'],
    ['an unknown skill of 256 characters', `{"skill":"${'a'.repeat(256)}"}`, 404, 'unknown_skill'],
    ['over 1 MiB', `{"skill":"${'a'.repeat(1_048_576)}"}`, 413, 'too_large'],
  ])('a body with %s is refused', async (_what, body, status, code) => {
    const { world, ada } = await ready()
    const out = await send(world, { body, headers: { authorization: ada } })
    expect([out.status, out.json()['code']]).toEqual([status, code])
    expect(world.upstream.requests).toEqual([])
  })

  test('a body as text is 415, a GET 405, and another path 404', async () => {
    const { world, door } = await ready()
    const text = await send(world, { headers: { 'content-type': 'text/plain' } })
    expect(text.status).toBe(415)
    const get = await ask(door, 'GET', '/v1/execute')
    expect([get.status, get.headers['allow']]).toEqual([405, 'POST'])
    const elsewhere = await ask(door, 'POST', '/execute', { body: BODY })
    expect(elsewhere.json()['detail']).toContain('POST /v1/execute')
  })

  test('a call from a page of another origin is 403, and one of an allowed origin has CORS headers', async () => {
    const { world, ada } = await ready()
    const evil = await send(world, {
      headers: { authorization: ada, origin: 'https://evil.example' },
    })
    expect(evil.status).toBe(403)
    const fine = await send(world, {
      headers: { authorization: ada, origin: 'https://app.example' },
    })
    expect(fine.headers['access-control-allow-origin']).toBe('https://app.example')
    expect(world.upstream.requests).toHaveLength(1)
  })
})

describe('the headers that only our own functions may send', () => {
  const terms = {
    'x-skillgate-call-id': CALL,
    'x-skillgate-deadline-ms': String(START_MS + 10_000),
  }

  test('take effect when IAM has proven the caller', async () => {
    const { world, ada } = await ready()
    const headers = { ...terms, 'x-skillgate-credential': writeCredential(credentialOf(ada)) }
    const out = await send(world, { headers, iam: true })
    expect(out.json()['callId']).toBe(CALL)
  })

  test('are ignored from other callers', async () => {
    const { world, ada } = await ready()
    const out = await send(world, { headers: { ...terms, authorization: ada } })
    expect(out.status).toBe(200)
    expect(out.json()['callId']).not.toBe(CALL)
  })

  test('name the user only with IAM', async () => {
    const { world, ada } = await ready()
    const bob = await world.user('bob')
    const headers = {
      'x-skillgate-credential': writeCredential(credentialOf(ada)),
      authorization: bob,
    }
    await send(world, { headers, iam: true })
    await send(world, { headers })
    expect([await world.credits('ada'), await world.credits('bob')]).toEqual([
      { free: 99, held: 0 },
      { free: 99, held: 0 },
    ])
    expect((await send(world, { headers: { authorization: ada }, iam: true })).status).toBe(401)
  })

  test.each([
    ['a call id alone', { 'x-skillgate-call-id': CALL }],
    ['a deadline alone', { 'x-skillgate-deadline-ms': '5' }],
    ['a call id of 15 characters', { ...terms, 'x-skillgate-call-id': 'a'.repeat(15) }],
    ['a call id of 65 characters', { ...terms, 'x-skillgate-call-id': 'a'.repeat(65) }],
    ['a deadline that is no time', { ...terms, 'x-skillgate-deadline-ms': 'soon' }],
  ])('a request with %s is refused', async (_what, more) => {
    const { world, ada } = await ready()
    const headers = { ...more, 'x-skillgate-credential': writeCredential(credentialOf(ada)) }
    const out = await send(world, { headers, iam: true })
    expect([out.status, out.json()['code']]).toEqual([400, 'malformed'])
    expect(world.upstream.requests).toEqual([])
  })

  test('a void by our own functions is carried out', async () => {
    const { world, ada } = await ready()
    const headers = { ...terms, 'x-skillgate-credential': writeCredential(credentialOf(ada)) }
    await send(world, { headers, iam: true })
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
    const body = { uid: 'ada', callId: CALL, reason: 'void' }
    const out = await send(world, { body, iam: true }, '/v1/execute/void')
    expect([out.status, out.json()]).toEqual([
      200,
      { callId: CALL, state: 'refunded', reason: 'void' },
    ])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a void by a user is 404', async () => {
    const { world, ada } = await ready()
    const body = { uid: 'ada', callId: CALL, reason: 'void' }
    const out = await send(world, { body, headers: { authorization: ada } }, '/v1/execute/void')
    expect([out.status, out.json()['code']]).toEqual([404, 'not_found'])
  })

  test('a job that the sweep names, and that is none, is answered so', async () => {
    const { world } = await ready()
    const body = { uid: 'ada', callId: CALL, does: 'end' }
    const out = await send(world, { body, iam: true }, '/v1/execute/job')
    expect([out.status, out.json()]).toEqual([200, { kind: 'none' }])
  })

  test('an errand about a job by a user is 404', async () => {
    const { world, ada } = await ready()
    const body = { uid: 'ada', callId: CALL, does: 'end' }
    const out = await send(world, { body, headers: { authorization: ada } }, '/v1/execute/job')
    expect([out.status, out.json()['code']]).toEqual([404, 'not_found'])
  })

  test.each([
    ['no object', []],
    ['no uid', { callId: CALL, does: 'end' }],
    ['a call id that is none', { uid: 'ada', callId: 'x', does: 'end' }],
    ['nothing to do', { uid: 'ada', callId: CALL }],
  ])('an errand about a job with %s is 400', async (_what, body) => {
    const { world } = await ready()
    expect((await send(world, { body, iam: true }, '/v1/execute/job')).status).toBe(400)
  })

  test('a void that is too late is 409', async () => {
    const { world, ada } = await ready()
    await send(world, {
      headers: { ...terms, 'x-skillgate-credential': writeCredential(credentialOf(ada)) },
      iam: true,
    })
    world.clock.jump(60_001)
    const body = { uid: 'ada', callId: CALL, reason: 'void' }
    expect((await send(world, { body, iam: true }, '/v1/execute/void')).status).toBe(409)
  })

  test.each([
    ['no object', []],
    ['no uid', { callId: CALL, reason: 'void' }],
    ['a call id that is none', { uid: 'ada', callId: 'x', reason: 'void' }],
    ['another reason', { uid: 'ada', callId: CALL, reason: 'because' }],
  ])('a void with %s is 400', async (_what, body) => {
    const { world } = await ready()
    expect((await send(world, { body, iam: true }, '/v1/execute/void')).status).toBe(400)
  })
})
