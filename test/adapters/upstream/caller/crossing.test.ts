/** Any request and any outcome cross unchanged; nothing else is read. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  CROSSING_BODY_BYTES_MAX,
  CROSSING_BYTES_MAX,
  type CrossingAnswer,
  type CrossingRequest,
  readCrossingAnswer,
  readCrossingRequest,
  toCrossingAnswer,
  writeCrossingRequest,
} from '../../../../adapters/upstream/caller/crossing.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 30 })
const bytes = fc.uint8Array({ maxLength: 300 }).map((some) => Buffer.from(some))
const texts = fc.dictionary(fc.string({ minLength: 1, maxLength: 12 }), text, {
  noNullPrototype: true,
})
const count = fc.nat({ max: 10_000_000 })
const absent = fc.constant(undefined)

const request: fc.Arbitrary<CrossingRequest> = fc.record({
  request: fc.record(
    {
      method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'),
      url: fc.webUrl(),
      headers: texts,
      body: fc.oneof(bytes, absent),
      sensitive: fc.record({
        headers: fc.array(text),
        query: fc.boolean(),
        body: fc.boolean(),
      }),
      signing: fc.record({ service: text, region: text }),
    },
    { requiredKeys: ['method', 'url', 'headers', 'body'], noNullPrototype: true },
  ),
  owner: text,
  responseBytesMax: count,
  timeoutMs: fc.double({ min: 0, max: 900_000, noNaN: true }).map((ms) => ms + 0),
  redirectsMax: fc.oneof(fc.nat({ max: 3 }), absent),
  showHeaders: fc.oneof(fc.array(text), absent),
  wantsHeaders: fc.boolean(),
  traceparent: fc.oneof(text, absent),
})

const mark = fc.constant(true as const)

const outcome: fc.Arbitrary<CrossingAnswer['answer']> = fc.oneof(
  fc.record({
    kind: fc.constant('answered' as const),
    response: fc.record(
      {
        status: fc.integer({ min: 200, max: 599 }),
        mediaType: text,
        charset: text,
        body: bytes,
        retryAfter: text,
        headers: texts,
      },
      { requiredKeys: ['status', 'mediaType', 'charset', 'body'], noNullPrototype: true },
    ),
  }),
  fc.record({
    kind: fc.constantFrom('refused_target' as const, 'unreadable' as const),
    detail: text,
  }),
  fc.record(
    {
      kind: fc.constant('unreachable' as const),
      detail: text,
      neverConnected: mark,
      hasPartialAnswer: mark,
      isGatewayFault: mark,
    },
    { requiredKeys: ['kind', 'detail'], noNullPrototype: true },
  ),
  fc.record({ kind: fc.constant('too_large' as const), bytesMax: count }),
  fc.record({ kind: fc.constant('cut' as const) }),
)

const answer: fc.Arbitrary<CrossingAnswer> = fc.record({
  answer: outcome,
  steps: fc.array(
    fc.record({ step: fc.constantFrom('connected' as const, 'first-byte' as const), agoMs: count }),
  ),
  headers: fc.array(fc.array(text)),
})

describe('the crossing', () => {
  test('leaves any request unchanged', () => {
    fc.assert(
      fc.property(request, (sent) => {
        expect(readCrossingRequest(JSON.parse(writeCrossingRequest(sent)))).toEqual(sent)
      }),
    )
  })

  test('leaves any outcome unchanged', () => {
    fc.assert(
      fc.property(answer, (sent) => {
        expect(readCrossingAnswer(JSON.stringify(toCrossingAnswer(sent)))).toEqual(sent)
      }),
    )
  })

  test('takes no other JSON for a request or an outcome', () => {
    fc.assert(
      fc.property(fc.json(), (other) => {
        expect(readCrossingRequest(JSON.parse(other))).toBeUndefined()
        expect(readCrossingAnswer(other)).toBeUndefined()
      }),
    )
  })

  test('takes no request that lacks any one of its members', () => {
    const sent = {
      request: { method: 'GET', url: 'http://h.corp/', headers: {}, body: undefined },
      owner: 'o',
      responseBytesMax: 1,
      timeoutMs: 1,
      wantsHeaders: false,
    } as const
    const whole: Record<string, unknown> = JSON.parse(writeCrossingRequest(sent))
    expect(Object.keys(whole).sort()).toEqual([
      'headers',
      'method',
      'owner',
      'responseBytesMax',
      'timeoutMs',
      'url',
      'wantsHeaders',
    ])
    for (const name of Object.keys(whole)) {
      const { [name]: _, ...rest } = whole
      expect(readCrossingRequest(rest)).toBeUndefined()
      expect(readCrossingRequest({ ...rest, [name]: [] })).toBeUndefined()
    }
  })

  test('leaves a signed request signed, without the role that signed it', () => {
    const role = { arn: 'arn:aws:iam::123456789012:role/theirs', externalId: 'theirs' }
    const signing = { service: 'execute-api', region: 'eu-central-1', role }
    const written = writeCrossingRequest({
      request: { method: 'GET', url: 'https://h.corp/', headers: {}, body: undefined, signing },
      owner: 'o',
      responseBytesMax: 1,
      timeoutMs: 1,
      wantsHeaders: false,
    })
    expect(readCrossingRequest(JSON.parse(written))?.request.signing).toEqual({
      service: 'execute-api',
      region: 'eu-central-1',
    })
    expect(written).not.toContain('theirs')
  })

  test('takes no request of another method', () => {
    const sent = { method: 'CONNECT', url: 'http://h.corp/', headers: {}, owner: 'o' }
    const terms = { responseBytesMax: 1, timeoutMs: 1, wantsHeaders: false }
    expect(readCrossingRequest({ ...sent, ...terms })).toBeUndefined()
    expect(readCrossingRequest({ ...sent, ...terms, method: 'PUT' })).toBeDefined()
  })
})

test('the longest body with the longest four heads fits into an Invoke', () => {
  // 32 kB of a head as characters that take most bytes in JSON.
  const head = ['x', 'ÿ'.repeat(32_768)]
  const crossing = toCrossingAnswer({
    answer: {
      kind: 'answered',
      response: {
        status: 200,
        mediaType: 'a/b',
        charset: 'utf-8',
        body: Buffer.alloc(CROSSING_BODY_BYTES_MAX, 255),
        headers: { x: 'ÿ'.repeat(32_768) },
      },
    },
    steps: [],
    headers: [head, head, head, head],
  })
  expect(Buffer.byteLength(JSON.stringify(crossing))).toBeLessThan(CROSSING_BYTES_MAX)
})
