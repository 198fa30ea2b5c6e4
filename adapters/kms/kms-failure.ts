/** The meaning of a KMS error for a secret. Reads the error's name and `$fault`, no text. */
import type { SealFailure } from '../../core/secrets/secret.ts'
import { isThrottleName } from '../aws/signed/throttle-names.ts'

/** KMS judged bytes and context: they do not belong together. */
const FOREIGN: ReadonlySet<string> = new Set([
  'IncorrectKeyException',
  'InvalidCiphertextException',
])

export function whyOfKms(cause: unknown): SealFailure['why'] {
  if (!(cause instanceof Error)) return 'unavailable'
  if (FOREIGN.has(cause.name)) return 'foreign'
  const isOurs = '$fault' in cause && cause.$fault === 'client'
  // A throttle is reported as the client's fault, and passes by itself.
  return isOurs && !isThrottleName(cause.name) ? 'denied' : 'unavailable'
}
