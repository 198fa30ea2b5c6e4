/**
 * Upstreams that misbehave, from both doors: in every case the call ends in time with one short
 * answer, its credits are back, and the stream goes on.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Misbehaviour } from '../adapters/upstream/misbehave.ts'
import { type MisbehavingUpstream, misbehavingUpstream } from '../adapters/upstream/misbehaving.ts'
import { MISBEHAVIOURS } from '../adapters/upstream/misbehaviours.ts'
import { balanceOf, createUser, pushSkill } from './admin.ts'
import { type Fields, fieldsOf, readJsonObject, stringOf } from './fields.ts'
import { bearer, postJson } from './http.ts'
import { openRawSession } from './raw-session.ts'
import { startTwin, type Twin } from './twin.ts'
import { PATIENCE_MS } from './wait.ts'

/** For skills whose upstream ends only at the guard. */
const CUT_MS = 1_000
/** The length limit of a failed call's text: a model reads all of it. */
const TEXT_CHARS_MAX = 900

/** Upstreams that are odd and still answer; all others are failures. */
const SUCCEEDS: { readonly [name: string]: string } = {
  'closes-its-half-after-the-answer': 'ok',
  'is-longer-than-it-says': 'ok',
  'announces-its-answer': 'ok',
  'says-headers-twice': 'ok',
  'says-json-and-is-none': 'ok',
  'answers-twice': 'ok',
  'is-packed-with-zeros-behind': 'ok',
  'has-a-wrong-charset': '\ufffd',
  'has-a-body-where-there-is-none': 'The upstream answered 204 with an empty body.',
}

/** Time limit of the work that follows an answer, on a busy machine. */
const WITHIN = { timeout: PATIENCE_MS }

let twin: Twin
/** One server for each, since each origin has its breaker. */
const upstreams = new Map<string, MisbehavingUpstream>()

beforeAll(async () => {
  for (const { name } of MISBEHAVIOURS) upstreams.set(name, await misbehavingUpstream())
  twin = await startTwin(['--memory', '--outbound-allow', '127.0.0.1'])
})

afterAll(async () => {
  await twin?.stop()
  await Promise.all([...upstreams.values()].map((upstream) => upstream.close()))
})

function upstreamOf(name: string): MisbehavingUpstream {
  const upstream = upstreams.get(name)
  if (upstream === undefined) throw new Error(`there is no upstream ${name}`)
  return upstream
}

/** A user of its own with 10 credits, and a skill for 3 that calls the upstream. */
async function ready({ name, outcome }: Misbehaviour) {
  const { host } = upstreamOf(name)
  const nth = MISBEHAVIOURS.findIndex((one) => one.name === name)
  const user = await createUser(twin, { username: `m${nth}`, credits: 10 })
  const config = {
    endpoint: `http://${host}/${name}`,
    timeout_ms: outcome.kind === 'cut' ? CUT_MS : 10_000,
  }
  const skill = await pushSkill(twin, { id: `sg_m${nth}`, config, price: 3 })
  return { ...user, skill }
}

type ExpectedOutcome = {
  readonly status: number
  readonly body: object
  /** The text that both doors give for it. */
  readonly text: string
  readonly paid: number
  readonly sends: number
}

function expectedOf({ name, outcome }: Misbehaviour): ExpectedOutcome {
  const success = SUCCEEDS[name]
  if (success !== undefined) {
    const body = { content: [{ type: 'text', text: success }], isError: false }
    return { status: 200, body, text: success, paid: 3, sends: 1 }
  }
  const isCut = outcome.kind === 'cut'
  const code = isCut ? 'timed_out' : 'upstream_failed'
  const body = { code, credits: { charged: 3, refunded: 3, remaining: 10 } }
  const failed = { status: isCut ? 504 : 502, body, paid: 0, sends: 1 }
  switch (outcome.kind) {
    case 'cut':
      return {
        ...failed,
        text: 'The upstream did not answer within 1.0 s, so the call was stopped.',
      }
    case 'too_large':
      return {
        ...failed,
        text: "The upstream's answer is larger than 1000000 bytes. Ask it for less.",
      }
    case 'unreachable': {
      const text = `The upstream could not be reached: it ${outcome.detail}.`
      return { ...failed, text, sends: sendsAfter(outcome.detail) }
    }
    case 'unreadable': {
      const text = `The upstream answered, but its answer cannot be read: it ${outcome.detail}.`
      return { ...failed, text }
    }
    case 'refused_target': {
      const text = `The upstream could not be reached: ${outcome.detail}.`
      return { ...failed, text, sends: name === 'redirects-to-itself' ? 4 : 1 }
    }
    case 'answered':
      return { ...failed, text: `The upstream answered ${outcome.status}` }
    default:
      return outcome satisfies never
  }
}

/** Only a request without any answer is sent again, once. */
function sendsAfter(detail: string): number {
  return detail === 'closed the connection before it answered' ? 3 : 1
}

/** One block, which a model reads whole. */
function textOf(result: Fields): string {
  const [block, ...more] = Array.isArray(result['content']) ? result['content'] : []
  if (more.length > 0) throw new Error('more than one block')
  return stringOf(block, 'text')
}

describe.concurrent('an upstream that misbehaves', () => {
  test.for(MISBEHAVIOURS)(
    'an upstream that $name spoils no other call',
    async (misbehaviour, { expect }) => {
      const { body, paid, sends, status, text } = expectedOf(misbehaviour)
      const { key, skill, uid } = await ready(misbehaviour)
      const upstream = upstreamOf(misbehaviour.name)
      /** A failure is refunded before it is answered; a success is settled after its answer. */
      const balanceIs = async (credits: number) => {
        const expected = { credits, onHold: 0 }
        if (paid === 0) expect(await balanceOf(twin, uid)).toEqual(expected)
        else await expect.poll(() => balanceOf(twin, uid), WITHIN).toEqual(expected)
      }

      const rest = await postJson(twin.execute, { skill, arguments: {} }, bearer(key))
      await balanceIs(10 - paid)
      expect(rest.status).toBe(status)
      expect(rest.json()).toMatchObject(body)
      expect(rest.text).toContain(JSON.stringify(text).slice(1, -1))
      expect(rest.text.length).toBeLessThan(TEXT_CHARS_MAX)
      expect(upstream.requests()).toBe(sends)

      const session = await openRawSession(twin.sse, key)
      await session.post(
        `{"jsonrpc":"2.0","id":"it","method":"tools/call","params":{"name":"${skill}","arguments":{}}}`,
      )
      const reply = await session.message((data) => data.includes('"it"'))
      await balanceIs(10 - 2 * paid)
      const result = fieldsOf(readJsonObject(reply), 'result')
      expect(result['isError']).toBe(paid === 0)
      expect(textOf(result)).toContain(text)
      expect(textOf(result).length).toBeLessThan(TEXT_CHARS_MAX)
      expect(upstream.requests()).toBe(2 * sends)

      await session.post('{"jsonrpc":"2.0","id":"next","method":"ping"}')
      await session.message((data) => data.includes('"next"'))
      expect(session.messages).toEqual([reply, '{"jsonrpc":"2.0","id":"next","result":{}}'])
      session.close()
    },
  )
})

describe.concurrent('an abandoned call', () => {
  /** For an upstream that has read the request and sends nothing. */
  async function hanging(id: string) {
    const upstream = await misbehavingUpstream()
    upstreams.set(id, upstream)
    const user = await createUser(twin, { username: id, credits: 10 })
    const config = { endpoint: `http://${upstream.host}/hangs` }
    const skill = await pushSkill(twin, { id: `sg_${id}`, config, price: 3 })
    return { ...user, skill, upstream }
  }

  test('is cut at the upstream and free when its REST caller hangs up', async ({ expect }) => {
    const { key, skill, uid, upstream } = await hanging('hangup')
    const left = new AbortController()
    const calling = fetch(twin.execute, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(key) },
      body: JSON.stringify({ skill, arguments: {} }),
      signal: left.signal,
    })
    await expect.poll(() => upstream.open(), WITHIN).toBe(1)
    left.abort()
    await expect(calling).rejects.toThrow()
    await expect.poll(() => upstream.open(), WITHIN).toBe(0)
    await expect.poll(() => balanceOf(twin, uid), WITHIN).toEqual({ credits: 10, onHold: 0 })
  })

  test('is cut at the upstream and free when its agent cancels', async ({ expect }) => {
    const { key, skill, uid, upstream } = await hanging('cancel')
    const session = await openRawSession(twin.sse, key)
    await session.post(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${skill}","arguments":{}}}`,
    )
    await expect.poll(() => upstream.open(), WITHIN).toBe(1)
    await session.post(
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    )
    await expect.poll(() => upstream.open(), WITHIN).toBe(0)
    await expect.poll(() => balanceOf(twin, uid), WITHIN).toEqual({ credits: 10, onHold: 0 })
    expect(session.messages).toEqual([])
    session.close()
  })
})

test('an upstream that failed ten times is left alone, and each call says for how long', async () => {
  const upstream = await misbehavingUpstream()
  upstreams.set('ten times', upstream)
  const { key, uid } = await createUser(twin, { username: 'ten', credits: 10 })
  const config = { endpoint: `http://${upstream.host}/resets`, retries: 0 }
  const skill = await pushSkill(twin, { id: 'sg_ten', config, price: 3 })
  const call = () => postJson(twin.execute, { skill, arguments: {} }, bearer(key))
  for (let turn = 0; turn < 10; turn += 1) await call()
  const refused = await call()
  expect(refused.status).toBe(502)
  expect(refused.headers['retry-after']).toMatch(/^1[45]$/)
  expect(refused.json()['detail']).toMatch(
    /^The upstream has been failing, so no request is sent to it for /,
  )
  expect(upstream.requests()).toBe(10)
  expect(await balanceOf(twin, uid)).toEqual({ credits: 10, onHold: 0 })
})

test('none of these failures is logged as an error of the gateway', () => {
  expect(twin.said()).not.toContain('"level":"ERROR"')
})
