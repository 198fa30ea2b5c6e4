/** The secrets of one call, once they are loaded, or why they are not. */
import type { ErrorCode } from '../../errors.ts'
import type { FoundSecret, SecretPlace, SecretUsed } from '../../secrets/secret.ts'

export type SecretsFailure = {
  readonly code: ErrorCode & ('secret_missing' | 'secret_refused' | 'secret_unreadable')
  readonly detail: string
}

/** Values by name. */
export type Secrets = ReadonlyMap<string, string>

export type LoadedSecrets = {
  readonly values: Secrets
  /** Whose they are, in the order of the names. */
  readonly used: readonly SecretUsed[]
  /** Those of `used` that are shared, for the day of their last use. */
  readonly shared: readonly SecretPlace[]
  /** As they are stored; some may have a previous value (previous-secrets.ts). */
  readonly stored: readonly FoundSecret[]
}

export const NO_SECRETS: LoadedSecrets = { values: new Map(), used: [], shared: [], stored: [] }
