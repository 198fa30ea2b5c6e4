import { describe, expect, test } from 'vitest'
import { findRetryPauseMs, type RetryFacts, readRetryAfter } from '../../../core/call/retry.ts'
import type { UpstreamAnswer } from '../../../core/call/upstream.ts'

const NOW_MS = Date.UTC(2026, 0, 1)

function answered(status: number, retryAfter?: string): UpstreamAnswer {
  const response = { status, mediaType: '', charset: 'utf-8', body: new Uint8Array() }
  return {
    kind: 'answered',
    response: retryAfter === undefined ? response : { ...response, retryAfter },
  }
}

function pause(answer: UpstreamAnswer, more: Partial<RetryFacts> = {}): number | undefined {
  return findRetryPauseMs({
    answer,
    sends: 1,
    retries: 2,
    nowMs: NOW_MS,
    cutAtMs: NOW_MS + 10_000,
    jitter: 0,
    ...more,
  })
}

describe('a send that is made again', () => {
  test.each([502, 503, 504])('a send is made again after %i', (status) => {
    expect(pause(answered(status))).toBe(100)
  })

  test('a send is made again when the upstream could not be reached', () => {
    expect(pause({ kind: 'unreachable', detail: 'refused the connection' })).toBe(100)
  })

  test('a send is made again after 429 with Retry-After, when that time is over', () => {
    expect(pause(answered(429, '3'))).toBe(3_000)
  })

  test('a send is made again after 503 with Retry-After, not before that time', () => {
    expect(pause(answered(503, '2'))).toBe(2_000)
  })

  test('the second repetition of a send waits twice the pause, and each is spread by up to as much again', () => {
    expect(pause(answered(503), { sends: 2 })).toBe(200)
    expect(pause(answered(503), { sends: 2, jitter: 0.5 })).toBe(300)
  })
})

describe('a send that is not made again', () => {
  test.each([200, 301, 400, 401, 404, 500, 501, 505])('no send is repeated after %i', (status) => {
    expect(pause(answered(status))).toBeUndefined()
  })

  test('a send is not made again after 429 without Retry-After', () => {
    expect(pause(answered(429))).toBeUndefined()
    expect(pause(answered(429, 'soon'))).toBeUndefined()
  })

  test.each<UpstreamAnswer>([
    { kind: 'cut' },
    { kind: 'unreachable', detail: 'broke off', hasPartialAnswer: true },
    { kind: 'too_large', bytesMax: 1 },
    { kind: 'refused_target', detail: 'x' },
  ])('a send is not made again after $kind', (answer) => {
    expect(pause(answer)).toBeUndefined()
  })

  test('a send is not made again more often than the skill allows', () => {
    expect(pause(answered(503), { retries: 0 })).toBeUndefined()
    expect(pause(answered(503), { retries: 1, sends: 2 })).toBeUndefined()
  })

  test('a send is not made again when the time limit would cut it within 250 ms', () => {
    expect(pause(answered(503), { cutAtMs: NOW_MS + 350 })).toBe(100)
    expect(pause(answered(503), { cutAtMs: NOW_MS + 349 })).toBeUndefined()
    expect(pause(answered(429, '10'))).toBeUndefined()
  })
})

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    [' 12 ', 12_000],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['-1', undefined],
    ['1.5', undefined],
    ['2026', 2_026_000],
    ['2026-01-01', undefined],
    ['', undefined],
    ['9999999999', undefined],
  ])('%j is %s ms', (text, ms) => {
    expect(readRetryAfter(text, NOW_MS)).toBe(ms)
  })
})
