/**
 * The secrets of one call after loading, or the failure. A file of its own, since calls without
 * secrets load it and not load-secrets.ts.
 */
import type { ErrorCode } from '../../errors.ts'
import type { FoundSecret, SecretPlace, SecretUsed } from '../../secrets/secret.ts'

export type SecretsFailure = {
  readonly code: ErrorCode & ('secret_missing' | 'secret_refused' | 'secret_unreadable')
  readonly detail: string
  /** Of `secret_missing`: all that are not set. */
  readonly missing?: readonly string[]
}

/** Secret values by name. */
export type Secrets = ReadonlyMap<string, string>

export type LoadedSecrets = {
  readonly values: Secrets
  /** The owner of each secret, in the order of the names. */
  readonly used: readonly SecretUsed[]
  /** The shared secrets of `used`: the day of their last use is recorded. */
  readonly shared: readonly SecretPlace[]
  /** The stored records. A record may have a previous value (previous-secrets.ts). */
  readonly stored: readonly FoundSecret[]
}

export const NO_SECRETS: LoadedSecrets = { values: new Map(), used: [], shared: [], stored: [] }
