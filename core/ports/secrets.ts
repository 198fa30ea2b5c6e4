/** Ports for sealed secrets of users and of the gateway. */
import type { Result } from '../errors.ts'
import type {
  FoundSecret,
  SealFailure,
  SecretContext,
  SecretListing,
  SecretPlace,
  SharedSecret,
  SharedSecretListing,
  StoredSecret,
} from '../secrets/secret.ts'

/** skill:secrets:{uid} and skill:secrets:{uid}:{skillId}, sealed; `SecretSeals` opens them. */
export type SecretStore = {
  /**
   * The stored secrets of these names, of the skill and of the user, in one batch; with
   * `withShared` also the gateway's own. Missing ones are omitted. The result may be up to
   * SECRET_CACHE_MS old, but the absence of a name is never cached. With `isFresh` it is read now.
   */
  find(of: {
    uid: string
    skillId: string
    names: readonly string[]
    withShared?: boolean
    isFresh?: boolean
  }): Promise<readonly FoundSecret[]>
  /** Puts or replaces one; `too_many` if the record would have more than SECRETS_MAX names. */
  put(secret: StoredSecret & { readonly uid: string }): Promise<'stored' | 'too_many'>
  /** Returns false if there is no such secret. */
  remove(of: { uid: string; skillId: string | undefined; name: string }): Promise<boolean>
  /**
   * All secrets of a user without their values, strongly consistent; global ones first, then by
   * skill and name.
   */
  list(uid: string): Promise<readonly SecretListing[]>
}

/** The gateway's own secrets, for users who have none of the name. `SecretStore` finds them. */
export type SharedSecrets = {
  /**
   * Puts or replaces one. With `keepPreviousUntilMs`, the replaced value is stored beside it as
   * `previous`; otherwise no value is. `too_many` if the record would have more than
   * SHARED_SECRETS_MAX names.
   */
  put(secret: SharedSecret, keepPreviousUntilMs?: number): Promise<'stored' | 'too_many'>
  /** Removes one with its previous value. Returns false if there is no such secret. */
  remove(place: SecretPlace): Promise<boolean>
  /**
   * All without their values, strongly consistent; those for all skills first, then by skill and
   * name.
   */
  list(): Promise<readonly SharedSecretListing[]>
  /**
   * Records that a secret was used on this day, counted from 1970. An earlier day changes nothing.
   */
  noteUse(use: SecretPlace & { readonly day: number }): Promise<void>
}

/**
 * Seals and opens one value under `{uid, skillId, name, binding}`. In any other place it does not
 * open.
 */
export type SecretSeals = {
  /** Does not throw if the key cannot be used. */
  seal(context: SecretContext, value: string): Promise<Result<Uint8Array, SealFailure>>
  /** Does not throw either. A failure has no part of the value. */
  open(context: SecretContext, sealed: Uint8Array): Promise<Result<string, SealFailure>>
}
