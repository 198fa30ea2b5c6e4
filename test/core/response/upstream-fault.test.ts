import { describe, expect, test } from 'vitest'
import { classifyStatus } from '../../../core/response/upstream-fault.ts'

const NOW_MS = Date.UTC(2026, 10, 22, 12, 0, 0)

function faultOf(status: number, more: { retryAfter?: string; sentSecrets?: boolean } = {}) {
  const { sentSecrets = false, ...of } = more
  return classifyStatus({ status, ...of }, { nowMs: NOW_MS, sentSecrets })
}

describe('a failed status', () => {
  test.each([401, 403])(
    'of %i is about the secret where one was sent, else about access',
    (status) => {
      expect(faultOf(status, { sentSecrets: true })).toEqual({ upstreamFault: 'secret_rejected' })
      expect(faultOf(status)).toEqual({ upstreamFault: 'access_denied' })
    },
  )

  test('of 429 asks for a pause, with or without a time', () => {
    expect(faultOf(429)).toEqual({ upstreamFault: 'busy' })
    expect(faultOf(429, { retryAfter: 'soon' })).toEqual({ upstreamFault: 'busy' })
    expect(faultOf(429, { retryAfter: '30' })).toEqual({ upstreamFault: 'busy', retryAfterSec: 30 })
  })

  test('of 503 asks for a pause only if it says how long', () => {
    expect(faultOf(503)).toEqual({})
    expect(faultOf(503, { retryAfter: '2' })).toEqual({ upstreamFault: 'busy', retryAfterSec: 2 })
  })

  test('takes a date, and a pause of one second at least and a day at most', () => {
    const dated = faultOf(429, { retryAfter: 'Sun, 22 Nov 2026 12:00:41 GMT' })
    expect(dated.retryAfterSec).toBe(41)
    expect(faultOf(429, { retryAfter: '0' }).retryAfterSec).toBe(1)
    expect(faultOf(429, { retryAfter: 'Sun, 22 Nov 2020 12:00:41 GMT' }).retryAfterSec).toBe(1)
    expect(faultOf(429, { retryAfter: '86400' }).retryAfterSec).toBe(86_400)
    expect(faultOf(429, { retryAfter: '86401' }).retryAfterSec).toBe(86_400)
  })

  test.each([400, 404, 422, 500, 502, 301])('of %i has no class', (status) => {
    expect(faultOf(status, { retryAfter: '5', sentSecrets: true })).toEqual({})
  })
})
