/** The meaning of a KMS error for a secret. Reads the error's name and `$fault`, no text. */
import type { SealFailure } from '../../core/secrets/secret.ts'

/** KMS judged bytes and context: they do not belong together. */
const FOREIGN: ReadonlySet<string> = new Set([
  'IncorrectKeyException',
  'InvalidCiphertextException',
])

/** Reported as the client's fault, but passing by themselves. */
const PASSING: ReadonlySet<string> = new Set([
  'LimitExceededException',
  'RequestLimitExceeded',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
])

export function whyOfKms(cause: unknown): SealFailure['why'] {
  if (!(cause instanceof Error)) return 'unavailable'
  if (FOREIGN.has(cause.name)) return 'foreign'
  const isOurs = '$fault' in cause && cause.$fault === 'client'
  return isOurs && !PASSING.has(cause.name) ? 'denied' : 'unavailable'
}
