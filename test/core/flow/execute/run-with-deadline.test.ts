import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { voidCall } from '../../../../core/flow/execute/void-call.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import type { SealFailure } from '../../../../core/secrets/secret.ts'
import { execute, problemIn, run, successOf } from '../caller.ts'
import { call, openStream, textOf } from '../client.ts'
import type { Script } from '../doubles.ts'
import { START_MS } from '../manual-clock.ts'
import { okOf, type World } from '../world.ts'
import { BEARER, setFor, worldWith } from './calls-with-secrets.ts'

const WHOLE = { free: 100, held: 0 }
const PAID = { free: 99, held: 0 }

/** An unhandled rejection would end a Node process. */
const unhandled: unknown[] = []
const note = (cause: unknown) => unhandled.push(cause)
beforeEach(() => void process.on('unhandledRejection', note))
afterEach(async () => {
  await new Promise(setImmediate)
  process.off('unhandledRejection', note)
  expect(unhandled.splice(0)).toEqual([])
})

/** A store of secrets whose answers come when the test releases them. */
function heldSecrets(world: World) {
  const { find } = world.ports.secrets
  const gate = Promise.withResolvers<void>()
  let asked = 0
  world.ports.secrets = {
    ...world.ports.secrets,
    find: async (of) => {
      asked += 1
      await gate.promise
      return find(of)
    },
  }
  return {
    asked: () => asked,
    letGo: () => gate.resolve(),
    fail: () => gate.reject(new Error('x')),
  }
}

function unopened(world: World, why: SealFailure['why']): void {
  const cause = new Error('what the key service said')
  world.ports.secretSeals = {
    ...world.ports.secretSeals,
    open: async () => ({ ok: false, error: { why, cause } }),
  }
}

describe('a call whose skill names secrets', () => {
  test("sends them, its skill's own before those of all skills", async () => {
    const { world, ada } = await worldWith(BEARER)
    await setFor(world, 'ada', { API_KEY: 'for-all-skills' })
    await run(world, ada, 'sg_weather')
    await setFor(world, 'ada', { API_KEY: 'for-this-skill' }, 'sg_weather')
    await run(world, ada, 'sg_weather')
    const sent = world.upstream.requests.map(({ headers }) => headers['authorization'])
    expect(sent).toEqual(['Bearer for-all-skills', 'Bearer for-this-skill'])
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('loads them while its price is put on hold, and sends nothing before both are done', async () => {
    const { world, ada } = await worldWith(BEARER)
    await setFor(world, 'ada', { API_KEY: 'the-key-of-ada' })
    const secrets = heldSecrets(world)
    const { hold } = world.ports.ledger
    const held = Promise.withResolvers<void>()
    const askedAtHold: number[] = []
    world.ports.ledger = {
      ...world.ports.ledger,
      hold: async (request) => {
        askedAtHold.push(secrets.asked())
        await held.promise
        return hold(request)
      },
    }
    const executed = execute(world, ada, 'sg_weather')
    await world.clock.settle()
    expect(askedAtHold).toEqual([1])
    secrets.letGo()
    await world.clock.settle()
    expect(world.upstream.requests).toEqual([])
    held.resolve()
    const { answer } = await executed
    expect(answer.kind).toBe('success')
  })

  test('loads none when the skill names none', async () => {
    const { world, ada } = await worldWith({})
    const secrets = heldSecrets(world)
    successOf(await run(world, ada, 'sg_weather'))
    expect(secrets.asked()).toBe(0)
  })

  test("loads those of the key's owner, whatever its arguments say", async () => {
    const { world, ada } = await worldWith({ ...BEARER, method: 'POST' })
    await world.user('bob')
    await setFor(world, 'bob', { API_KEY: 'the-key-of-bob' })
    const args = { uid: 'bob', API_KEY: '{{secrets.API_KEY}}', secret: 'the-key-of-bob' }
    const answer = await run(world, ada, 'sg_weather', { args })
    expect(problemIn(answer).code).toBe('secret_missing')
    expect(world.upstream.requests).toEqual([])
  })
})

describe('a call that lacks a secret', () => {
  test('is refunded, and says whom to ask for it', async () => {
    const { world, ada } = await worldWith(BEARER)
    expect(problemIn(await run(world, ada, 'sg_weather'))).toMatchObject({
      status: 422,
      code: 'secret_missing',
      detail:
        'secret API_KEY: is not set for this user. Ask the administrator of this gateway to set it.',
      credits: { charged: 1, refunded: 1, remaining: 100 },
    })
    expect(world.upstream.requests).toEqual([])
    expect(await world.credits('ada')).toEqual(WHOLE)
    expect(world.log.calls).toMatchObject([
      { outcome: 'refunded', code: 'secret_missing', upstreamMs: undefined },
    ])
  })

  test('tells its agent the remedy, and its stream goes on', async () => {
    const { world, ada } = await worldWith(BEARER)
    const stream = await openStream(world, ada)
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(1_000)
    expect(textOf(stream.withId(1)[0])).toContain(
      'Ask the administrator of this gateway to set it.',
    )
    await setFor(world, 'ada', { API_KEY: 'the-key-of-ada' })
    await stream.post(call(2, 'sg_weather'))
    await world.clock.advance(1_000)
    expect(textOf(stream.withId(2)[0])).toBe('{"sunny":true}')
    expect(stream.why()).toBeUndefined()
    expect(await world.credits('ada')).toEqual(PAID)
  })

  test('that fits its header is refunded, and the value is not told', async () => {
    const { world, ada } = await worldWith(BEARER)
    await setFor(world, 'ada', { API_KEY: 'two\nlines' })
    const problem = problemIn(await run(world, ada, 'sg_weather'))
    expect(problem).toMatchObject({ code: 'secret_missing', credits: { refunded: 1 } })
    expect(problem.detail).toContain('secret API_KEY: cannot be sent in the header authorization')
    expect(JSON.stringify(problem)).not.toMatch(/two|lines/)
  })
})

describe('a call whose secrets cannot be read', () => {
  test.each<SealFailure['why']>(['denied', 'foreign', 'unavailable'])(
    'since their key is %s, is 503 and refunded; the stream lives',
    async (why) => {
      const { world, ada } = await worldWith(BEARER)
      await setFor(world, 'ada', { API_KEY: 'the-key-of-ada' })
      unopened(world, why)
      const problem = problemIn(await run(world, ada, 'sg_weather'))
      expect(problem).toMatchObject({
        status: 503,
        code: 'secret_unreadable',
        credits: { charged: 1, refunded: 1, remaining: 100 },
      })
      expect(problem.detail).not.toContain('what the key service said')
      const stream = await openStream(world, ada)
      await stream.post(call(1, 'sg_weather'))
      await stream.post(call(2, 'sg_account'))
      await world.clock.advance(1_000)
      expect(textOf(stream.withId(1)[0])).toContain('secret API_KEY: ')
      expect(textOf(stream.withId(2)[0])).toContain('100')
      expect(await world.credits('ada')).toEqual(WHOLE)
      expect(world.upstream.requests).toEqual([])
    },
  )

  test('is 503 and refunded when the store does not answer', async () => {
    const { world, ada } = await worldWith(BEARER)
    const secrets = heldSecrets(world)
    const executed = execute(world, ada, 'sg_weather')
    await world.clock.settle()
    secrets.fail()
    const { answer } = await executed
    expect(problemIn(answer)).toMatchObject({
      status: 503,
      code: 'secret_unreadable',
      credits: { refunded: 1 },
    })
  })

  test('before its deadline is cut, and nothing is sent when they load after all', async () => {
    const { world, ada } = await worldWith({ ...BEARER, timeout_ms: 2_000 })
    await setFor(world, 'ada', { API_KEY: 'the-key-of-ada' })
    const secrets = heldSecrets(world)
    const executed = execute(world, ada, 'sg_weather')
    await world.clock.advance(2_000)
    expect(problemIn((await executed).answer)).toMatchObject({
      code: 'timed_out',
      detail: 'The call was stopped after 2.0 s, before its upstream was called.',
      credits: { refunded: 1 },
    })
    secrets.letGo()
    await world.clock.advance(20_000)
    expect(world.upstream.requests).toEqual([])
  })
})

describe('a call that is refused while its secrets load', () => {
  test.each<[string, (secrets: ReturnType<typeof heldSecrets>) => void]>([
    ['come later', (secrets) => secrets.letGo()],
    ['fail later', (secrets) => secrets.fail()],
  ])('a refused call does not wait, and sends nothing when its secrets %s', async (_how, end) => {
    const { world, ada } = await worldWith(BEARER)
    await world.skill('sg_weather', { config: BEARER, price: 1_000 })
    await setFor(world, 'ada', { API_KEY: 'the-key-of-ada' })
    const secrets = heldSecrets(world)
    const answer = await run(world, ada, 'sg_weather')
    expect(problemIn(answer).code).toBe('insufficient_credits')
    end(secrets)
    await world.clock.settle()
    expect([secrets.asked(), world.upstream.requests.length]).toEqual([1, 0])
  })

  test('a call whose hold throws while its secrets load ends the same way', async () => {
    const { world, ada } = await worldWith(BEARER)
    const secrets = heldSecrets(world)
    const hold = () => Promise.reject(new Error('the store is down'))
    world.ports.ledger = { ...world.ports.ledger, hold }
    await expect(execute(world, ada, 'sg_weather')).rejects.toThrow('the store is down')
    secrets.fail()
    await world.clock.settle()
    expect(world.upstream.requests).toEqual([])
  })
})

describe('a secret that the upstream repeats', () => {
  const ECHOED: JsonObject = {
    method: 'POST',
    headers: { 'x-key': '{{secrets.API_KEY}}' },
    body: { key: 'in {{secrets.API_KEY}}' },
    retries: 0,
  }

  /** A value that looks different as base64, percent-encoded and as JSON. */
  const KEY = 'hush/"varde"+='

  async function echoed(script: Script) {
    const { world, ada } = await worldWith(ECHOED)
    await setFor(world, 'ada', { API_KEY: KEY })
    world.upstream.next(script)
    const answer = await run(world, ada, 'sg_weather')
    return { answer, said: JSON.stringify([answer, world.log.notes, world.log.calls]) }
  }

  // Holds: SAFE-4
  test('is masked in a result, in text and structured content alike', async () => {
    const { answer, said: logged } = await echoed({ kind: 'echo' })
    const { content, structuredContent } = successOf(answer)
    expect(structuredContent).toMatchObject({
      headers: { 'x-key': '[secret API_KEY]' },
      body: '{"key":"in [secret API_KEY]"}',
    })
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
    expect(logged).not.toContain('hush')
  })

  test('is masked in a failure', async () => {
    const { answer, said: logged } = await echoed({ kind: 'echo', status: 401 })
    expect(problemIn(answer).detail).toContain('[secret API_KEY]')
    expect(logged).not.toContain('hush')
  })

  test.each<[string, (value: string) => string]>([
    ['base64', (value) => Buffer.from(value).toString('base64')],
    ['base64url', (value) => Buffer.from(value).toString('base64url')],
    ['percent', (value) => encodeURIComponent(value)],
    ['hex', (value) => Buffer.from(value).toString('hex')],
    ['JSON', (value) => JSON.stringify(value)],
  ])('is masked as %s', async (_what, spell) => {
    const body = `before ${spell(KEY)} after`
    const { answer } = await echoed({ kind: 'answer', body, mediaType: 'text/plain' })
    const [block] = successOf(answer).content
    expect(block).toMatchObject({
      text: expect.stringMatching(/^before "?\[secret API_KEY\]"? after$/),
    })
  })

  test('is masked in the form in which basic auth sends it', async () => {
    const auth = { type: 'basic', username: 'ada', secret: 'API_KEY' }
    const { world, ada } = await worldWith({ auth })
    await setFor(world, 'ada', { API_KEY: 'värde' })
    world.upstream.next({ kind: 'echo' })
    const success = successOf(await run(world, ada, 'sg_weather'))
    expect(success.structuredContent).toMatchObject({
      headers: { authorization: 'Basic [secret API_KEY]' },
    })
  })
})

test('an exception of an adapter is logged by its stack, since its message may hold the request', async () => {
  const { world, ada } = await worldWith({})
  const send = async () => {
    throw new TypeError('cannot send hush-hush-value')
  }
  world.ports.upstream = { send }
  await run(world, ada, 'sg_weather')
  const [line] = world.log.notes
  expect(line).toMatchObject({ level: 'error', event: 'upstream-port-threw' })
  expect(String(line?.cause)).toMatch(/^TypeError: at .*run-with-deadline\.test\.ts/)
  const stack = line?.cause instanceof Error ? line.cause.stack : ''
  expect(`${line?.cause}${stack}`).not.toContain('hush')
})

describe('a call that is no longer wanted', () => {
  test('is cut at the upstream at once when its caller leaves', async () => {
    const { world, ada } = await worldWith({})
    world.upstream.next({ kind: 'hang' })
    const departure = new AbortController()
    const executed = execute(world, ada, 'sg_weather', { gone: departure.signal })
    await world.clock.advance(10)
    departure.abort()
    await world.clock.settle()
    expect([world.upstream.cuts(), world.clock.nowMs()]).toEqual([1, START_MS + 10])
    expect(problemIn((await executed).answer).code).toBe('cancelled')
  })

  test('is not sent when its caller leaves while its secrets load', async () => {
    const { world, ada } = await worldWith(BEARER)
    await setFor(world, 'ada', { API_KEY: 'the-key-of-ada' })
    const secrets = heldSecrets(world)
    const departure = new AbortController()
    const executed = execute(world, ada, 'sg_weather', { gone: departure.signal })
    await world.clock.settle()
    departure.abort()
    expect(problemIn((await executed).answer)).toMatchObject({
      code: 'cancelled',
      credits: { refunded: 1 },
    })
    secrets.letGo()
    await world.clock.settle()
    expect(world.upstream.requests).toEqual([])
  })

  test.each([
    ['between two sends', { kind: 'answer', status: 503, retryAfter: '5' } as const],
    ['in the midst of one', { kind: 'hang' } as const],
  ])('a call that is voided %s is stopped within a second', async (_when, script) => {
    const { world, ada } = await worldWith({ retries: 2 })
    world.upstream.always(script)
    const terms = { callId: 'c'.repeat(43), deadlineMs: START_MS + 15_000 }
    const executed = execute(world, ada, 'sg_weather', { terms })
    await world.clock.advance(400)
    okOf(await voidCall(world.ports, { uid: 'ada', callId: terms.callId, reason: 'cancelled' }))
    expect(await world.credits('ada')).toEqual(WHOLE)
    await world.clock.advance(600)
    expect(problemIn((await executed).answer).code).toBe('cancelled')
    await world.clock.advance(20_000)
    expect(world.upstream.requests).toHaveLength(1)
    expect(world.clock.sleepers()).toBe(0)
    expect(await world.credits('ada')).toEqual(WHOLE)
  })
})

describe('an Idempotency-Key of a call that failed before anything was sent', () => {
  const keyed = { idempotencyKey: 'k-1' }

  test('is free again, and runs the call once the secret is set', async () => {
    const { world, ada } = await worldWith(BEARER)
    expect(problemIn(await run(world, ada, 'sg_weather', keyed)).code).toBe('secret_missing')
    await setFor(world, 'ada', { API_KEY: 'the-key-of-ada' })
    const first = successOf(await run(world, ada, 'sg_weather', keyed))
    const second = successOf(await run(world, ada, 'sg_weather', keyed))
    expect(second).toEqual(first)
    expect(world.upstream.requests).toHaveLength(1)
    expect(await world.credits('ada')).toEqual(PAID)
  })

  test('is free again when the key service is back', async () => {
    const { world, ada } = await worldWith(BEARER)
    await setFor(world, 'ada', { API_KEY: 'the-key-of-ada' })
    const { secretSeals } = world.ports
    unopened(world, 'unavailable')
    expect(problemIn(await run(world, ada, 'sg_weather', keyed)).code).toBe('secret_unreadable')
    world.ports.secretSeals = secretSeals
    successOf(await run(world, ada, 'sg_weather', keyed))
    expect(await world.credits('ada')).toEqual(PAID)
  })

  test('is free again when a breaker has refused it', async () => {
    const { world, ada } = await worldWith({})
    world.upstream.always({ kind: 'unreachable' })
    for (let turn = 0; turn < 10; turn += 1) await run(world, ada, 'sg_weather')
    expect(problemIn(await run(world, ada, 'sg_weather', keyed)).retryAfterSec).toBe(15)
    world.upstream.always({ kind: 'answer' })
    await world.clock.advance(15_000)
    successOf(await run(world, ada, 'sg_weather', keyed))
  })

  test.each<[string, Script]>([
    ['an upstream that failed', { kind: 'answer', status: 503 }],
    ['no connection', { kind: 'unreachable' }],
    ['a redirect that may not be followed', { kind: 'refused_target', detail: 'it redirects' }],
    ['a bug of the adapter', { kind: 'throw' }],
  ])('a key is not free after %s, since the upstream may have acted', async (_what, script) => {
    const { world, ada } = await worldWith({})
    world.upstream.next(script)
    const first = await run(world, ada, 'sg_weather', keyed)
    expect(first.kind).toBe('problem')
    expect(await run(world, ada, 'sg_weather', keyed)).toEqual(first)
    expect(world.upstream.requests).toHaveLength(1)
  })
})
