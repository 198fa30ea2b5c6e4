/** Classes of the stream's errors by their AWS names, and the pause after an error. */

/**
 * Back-off: 0.5, 1, 2, 4, 5, 5, … s; each is cut at random by up to half, so that readers diverge.
 */
export const BACK_OFF_FIRST_MS = 500
export const BACK_OFF_MAX_MS = 5_000

const THROTTLE_NAMES: readonly string[] = [
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
]

export type StreamErrorClass = 'expired' | 'trimmed' | 'gone' | 'throttled' | 'unknown'

export function classifyStreamError(cause: unknown): StreamErrorClass {
  const name = cause instanceof Error ? cause.name : ''
  if (name === 'ExpiredIteratorException') return 'expired'
  if (name === 'TrimmedDataAccessException') return 'trimmed'
  if (name === 'ResourceNotFoundException') return 'gone'
  return THROTTLE_NAMES.includes(name) ? 'throttled' : 'unknown'
}

/** The pause after this many failures in a row; `random` is from 0 to 1. */
export function backOffMs(failures: number, random: number): number {
  return Math.min(BACK_OFF_FIRST_MS * 2 ** failures, BACK_OFF_MAX_MS) * (1 - random / 2)
}
