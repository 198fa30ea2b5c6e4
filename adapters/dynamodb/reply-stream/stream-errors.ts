/** What went wrong at the stream, by the names that AWS gives it, and how long to wait after it. */

/** Back-off: 0.5, 1, 2, 4, 5, 5, … s, each cut by up to half at random, so that two readers part. */
export const BACK_OFF_FIRST_MS = 500
export const BACK_OFF_MAX_MS = 5_000

const THROTTLES: readonly string[] = [
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
]

export type StreamError = 'expired' | 'trimmed' | 'gone' | 'throttled' | 'unknown'

export function streamErrorOf(cause: unknown): StreamError {
  const name = cause instanceof Error ? cause.name : ''
  if (name === 'ExpiredIteratorException') return 'expired'
  if (name === 'TrimmedDataAccessException') return 'trimmed'
  if (name === 'ResourceNotFoundException') return 'gone'
  return THROTTLES.includes(name) ? 'throttled' : 'unknown'
}

/** After so many failures in a row; `random` is from 0 to 1. */
export function backOffMs(failures: number, random: number): number {
  return Math.min(BACK_OFF_FIRST_MS * 2 ** failures, BACK_OFF_MAX_MS) * (1 - random / 2)
}
