/** The meaning of a KMS error for a secret. Reads the error's name and `$fault`, no text. */
import type { SealFailure } from '../../core/secrets/secret.ts'
import { isThrottleName } from '../aws/signed/throttle-names.ts'

/** Errors by which KMS says that bytes and context do not belong together. */
const FOREIGN_NAMES: ReadonlySet<string> = new Set([
  'IncorrectKeyException',
  'InvalidCiphertextException',
])

/** What a KMS error means for a secret, by the error's name and `$fault`. */
export function whyOfKms(cause: unknown): SealFailure['why'] {
  if (!(cause instanceof Error)) return 'unavailable'
  if (FOREIGN_NAMES.has(cause.name)) return 'foreign'
  const isClientError = '$fault' in cause && cause.$fault === 'client'
  // KMS reports a throttle as an error of the client, but it passes by itself.
  return isClientError && !isThrottleName(cause.name) ? 'denied' : 'unavailable'
}
