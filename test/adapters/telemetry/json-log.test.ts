import { describe, expect, test } from 'vitest'
import { runWithTrace } from '../../../adapters/config/trace.ts'
import { makeJsonLog } from '../../../adapters/telemetry/json-log.ts'
import { Fault } from '../../../core/errors.ts'
import type { CallLine, Log } from '../../../core/ports/outside.ts'

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const NOON_MS = Date.UTC(2026, 10, 21, 12)
const CALL: CallLine = {
  callId: 'c-1',
  uid: 'u-1',
  username: 'demo',
  skillId: 'sg_weather',
  source: 'official',
  outcome: 'refunded',
  code: 'timed_out',
  upstreamStatus: undefined,
  upstreamMs: 14_990,
  durationMs: 15_000,
  held: 500_000,
  charged: 500_000,
  refunded: 500_000,
  remaining: 99_500_000,
}

function linesOf(use: (log: Log) => void) {
  const lines: string[] = []
  use(makeJsonLog({ write: (line) => lines.push(line), clock: { nowMs: () => NOON_MS } }))
  return lines
}

function one(use: (log: Log) => void) {
  return JSON.parse(linesOf(use)[0] ?? '')
}

test('a call is one line with only its own fields, at the level of its code', () => {
  const call = { ...CALL, arguments: { city: 'Bern' } }
  expect(linesOf((log) => runWithTrace(TRACEPARENT, () => log.call(call)))).toEqual([
    '{"timestamp":"2026-11-21T12:00:00.000Z","level":"WARN","event":"call",' +
      '"traceId":"0af7651916cd43dd8448eb211c80319c",' +
      '"callId":"c-1","uid":"u-1","username":"demo","skillId":"sg_weather","source":"official",' +
      '"outcome":"refunded","code":"timed_out","upstreamMs":14990,"durationMs":15000,"charged":500000,' +
      '"refunded":500000,"remaining":99500000}\n',
  ])
})

test('a successful call is logged as information', () => {
  expect(one((log) => log.call({ ...CALL, code: undefined, outcome: 'settled' })).level).toBe(
    'INFO',
  )
})

describe('a note', () => {
  test('keeps listed fields and drops the rest', () => {
    const fields = { seq: 3, uid: 'u-1', body: 'private', argument: 'x', code: undefined }
    expect(one((log) => log.note('warn', 'request-unanswered', fields))).toEqual({
      timestamp: '2026-11-21T12:00:00.000Z',
      level: 'WARN',
      event: 'request-unanswered',
      seq: 3,
      uid: 'u-1',
    })
  })

  test('cuts a field at 200 characters', () => {
    expect(one((log) => log.note('info', 'x', { tool: 'a'.repeat(201) })).tool).toBe(
      'a'.repeat(200),
    )
  })

  test('cuts between characters, not within one', () => {
    expect(one((log) => log.note('info', 'x', { tool: `${'a'.repeat(199)}😀` })).tool).toBe(
      `${'a'.repeat(199)}\ufffd`,
    )
  })

  test('is one line, whatever its fields contain', () => {
    const lines = linesOf((log) => log.note('info', 'x', { tool: 'a\n{"level":"ERROR"}' }))
    expect(lines.join('').match(/\n/g)).toHaveLength(1)
  })

  test.each([
    ['key sgk_AbC-_12 is old', 'key sgk_… is old'],
    ['sub-key sgs_AbC-_12 is old', 'sub-key sgs_… is old'],
    ['token sgt_AbC-_12 is old', 'token sgt_… is old'],
    ['code sgc_AbC-_12 is old', 'code sgc_… is old'],
    ['refresh token sgr_AbC-_121 is old', 'refresh token sgr_… is old'],
    ['key sgk_AbC- is shown', 'key sgk_AbC- is shown'],
    ['key sgk_AbC-_ is not', 'key sgk_… is not'],
    ['admin key sga_AbC-_12 is old', 'admin key sga_… is old'],
    ['authorization: Bearer abc.def-g, next', 'authorization: Bearer …, next'],
    ['basic dXNlcjpwYXNz', 'basic …'],
    ['BEARER abc', 'BEARER …'],
    ['Api_Key=1', 'Api_Key=…'],
    ['GET /m?session_id=abc123&x=1', 'GET /m?session_id=…&x=1'],
    ['AKIAIOSFODNN7EXAMPLE', 'AKIA…'],
    ['https://h/?X-Amz-Signature=abc', 'https://h/?X-Amz-Signature=…'],
  ])('masks %j in fields and causes', (text, masked) => {
    const line = one((log) => log.note('error', 'x', { reason: text }, new Fault('internal', text)))
    expect(line.reason).toBe(masked)
    expect(line.cause.message).toBe(masked)
  })
})

describe('a cause', () => {
  const logged = (cause: unknown) => one((log) => log.note('error', 'x', {}, cause)).cause

  test('is its name, code and message, three causes deep, and none of its other members', () => {
    const socket = Object.assign(new Error('socket hang up', { cause: new Error('deepest') }), {
      code: 'ECONNRESET',
    })
    const sdk = Object.assign(new Error('throttled', { cause: socket }), {
      name: 'ThrottlingException',
      $response: { body: 'private' },
    })
    expect(logged(new Fault('store_unavailable', 'no answer', sdk))).toEqual({
      name: 'Fault',
      code: 'store_unavailable',
      message: 'no answer',
      cause: {
        name: 'ThrottlingException',
        message: 'throttled',
        cause: { name: 'Error', code: 'ECONNRESET', message: 'socket hang up' },
      },
    })
  })

  test('that is a bug includes its place', () => {
    const { name, message, at } = logged(new TypeError('x is not a function'))
    expect({ name, message }).toEqual({ name: 'TypeError', message: 'x is not a function' })
    expect(at[0]).toContain('json-log.test.ts')
    expect(at.length).toBeLessThanOrEqual(4)
  })

  test('that is not an error is its kind and its text', () => {
    expect(logged('plain sgk_abcde')).toEqual({ name: 'string', message: 'plain sgk_…' })
  })

  test('has at most 300 characters of message', () => {
    expect(logged(new Fault('internal', 'm'.repeat(301))).message).toBe('m'.repeat(300))
  })
})
