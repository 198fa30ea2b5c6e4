import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { UpstreamRequest } from '../../../../core/call/upstream.ts'
import { makeCircuitBreakers } from '../../../../core/flow/execute/circuit-breakers.ts'
import { type SendTerms, sendOnce } from '../../../../core/flow/execute/send-once.ts'
import type { Upstream } from '../../../../core/ports/outside.ts'
import { draftRequest } from '../../../../core/request/draft-request.ts'
import { readSkill } from '../../../../core/skills/definition/read-skill.ts'
import { makeWorld, okOf, skillJson } from '../world.ts'

const { skill } = okOf(readSkill(skillJson('sg_weather'), { prefix: 'sg' }))
const call: SendTerms['call'] = {
  callId: 'call',
  draft: okOf(draftRequest(skill, {})),
  principal: { uid: 'ada', keyHash: 'hash', sealingKey: '', username: 'ada' },
  skill,
}

/** The origin that the breakers were asked for, and the host of the call's record. */
async function sentTo(url: string) {
  const { ports } = makeWorld()
  const breakers = makeCircuitBreakers()
  const origins: string[] = []
  const enter: typeof breakers.enter = (to, nowMs) => {
    origins.push(to.origin)
    return breakers.enter(to, nowMs)
  }
  const stats = { mayHaveSent: false, firstAtMs: undefined, status: undefined, last: undefined }
  const terms: SendTerms = {
    call,
    secrets: new Map(),
    conceal: () => undefined,
    mask: (text) => text,
    stats,
    cutAtMs: Number.POSITIVE_INFINITY,
    signal: new AbortController().signal,
  }
  const request: UpstreamRequest = { method: 'GET', url, headers: {}, body: undefined }
  await sendOnce(ports, { ...breakers, enter }, terms, request)
  return [origins[0], terms.stats.last?.host]
}

test.each([
  ['https://a.example/x', 'https://a.example', 'a.example'],
  ['http://a.example:8080?x=1', 'http://a.example:8080', 'a.example:8080'],
  ['https://a.example#x', 'https://a.example', 'a.example'],
  ['https://A.example', 'https://A.example', 'A.example'],
  ['https://[::1]:1/x?y=https://b.example/', 'https://[::1]:1', '[::1]:1'],
  ['https://ann:p@w@a.example/@b', 'https://ann:p@w@a.example', 'a.example'],
  ['a.example/x', 'a.example/x', 'a.example/x'],
])('a send to %s asks the breakers of %s, and records %s', async (url, origin, host) => {
  expect(await sentTo(url)).toEqual([origin, host])
})

test('the origin and the host of a send are those of its URL', async () => {
  const path = fc.string({ unit: fc.constantFrom('a', '/', '?', '#', '@', ':', '%', '.') })
  const rest = fc.tuple(fc.constantFrom('/', '?', '#'), path).map((parts) => parts.join(''))
  const start = fc.tuple(fc.constantFrom('http', 'https'), fc.domain(), fc.nat(65_535))
  const property = fc.asyncProperty(start, rest, async ([scheme, name, port], after) => {
    const { host, origin } = new URL(`${scheme}://${name}:${port}`)
    expect(await sentTo(`${origin}${after}`)).toEqual([origin, host])
  })
  await fc.assert(property, { numRuns: 200 })
})

/** The terms of a send whose call is cut at 15,000 ms of the clock. */
function termsUntil(cutAtMs: number): SendTerms {
  return {
    call,
    secrets: new Map(),
    conceal: () => undefined,
    mask: (text) => text,
    stats: { mayHaveSent: false, firstAtMs: undefined, status: undefined, last: undefined },
    cutAtMs,
    signal: new AbortController().signal,
  }
}

const REQUEST: UpstreamRequest = {
  method: 'GET',
  url: 'https://a.example/x',
  headers: {},
  body: undefined,
}

test('a send tells its upstream the time that is left, and notes steps by how long ago they were', async () => {
  const { clock, ports } = makeWorld()
  const nowMs = clock.nowMs()
  const left: unknown[] = []
  const upstream: Upstream = {
    send: async (_request, { onStep, timeoutMs }) => {
      left.push(timeoutMs)
      await clock.advance(100)
      onStep?.('connected', 70)
      onStep?.('first-byte', 20)
      return { kind: 'cut' }
    },
  }
  const terms = termsUntil(nowMs + 14_250)
  await sendOnce({ ...ports, upstream }, makeCircuitBreakers(), terms, REQUEST)
  expect(left).toEqual([14_250])
  const { connectedAtMs = 0, firstByteAtMs = 0, fromMs = 0 } = terms.stats.last ?? {}
  expect([connectedAtMs - fromMs, firstByteAtMs - fromMs]).toEqual([30, 80])
})

test('a fault of the gateway says nothing about the upstream, so the next request is sent', async () => {
  const { clock, ports } = makeWorld()
  const breakers = makeCircuitBreakers()
  const sends = async (count: number, upstream: Upstream) => {
    const kinds: string[] = []
    for (let nth = 0; nth < count; nth += 1) {
      const terms = termsUntil(clock.nowMs() + 15_000)
      kinds.push((await sendOnce({ ...ports, upstream }, breakers, terms, REQUEST)).kind)
    }
    return new Set(kinds)
  }
  const failing = (isGatewayFault?: true): Upstream => ({
    send: async () => ({
      kind: 'unreachable',
      detail: 'failed',
      neverConnected: true,
      ...(isGatewayFault === undefined ? {} : { isGatewayFault }),
    }),
  })
  expect(await sends(30, failing(true))).toEqual(new Set(['unreachable']))
  expect(await sends(30, failing())).toEqual(new Set(['unreachable', 'resting']))
})
