import { describe, expect, test } from 'vitest'
import {
  AWS_PACE,
  chooseReadPauseMs,
  LOCAL_PACE,
} from '../../../../adapters/dynamodb/reply-stream/read-pace.ts'

describe('the pace of a reader', () => {
  test.each([
    [0, 20],
    [1_999, 20],
    [2_000, 50],
    [59_999, 50],
    [60_000, 200],
  ])(
    'a reader on a local store pauses, %i ms after a request or reply, for %i ms',
    (sinceMs, pauseMs) => {
      expect(chooseReadPauseMs(LOCAL_PACE, sinceMs)).toBe(pauseMs)
    },
  )

  test.each([
    [0, 400],
    [59_999, 400],
    [60_000, 1_000],
  ])('a reader on AWS pauses, %i ms after a request or reply, for %i ms', (sinceMs, pauseMs) => {
    expect(chooseReadPauseMs(AWS_PACE, sinceMs)).toBe(pauseMs)
  })

  test('the pace of AWS keeps two readers within the five reads a second that a shard serves', () => {
    const fastest = Math.min(
      ...[0, 30_000, 90_000].map((since) => chooseReadPauseMs(AWS_PACE, since)),
    )
    expect((2 * 1_000) / fastest).toBeLessThanOrEqual(5)
  })
})
