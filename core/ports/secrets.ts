/** Secrets of users and of administrators, sealed. */
import type { Result } from '../errors.ts'
import type {
  FoundSecret,
  SealFailure,
  SecretContext,
  SecretDate,
  SharedSecret,
  SharedSecretDate,
  StoredSecret,
} from '../secrets/secret.ts'
import type { SecretPlace } from '../secrets/secret-place.ts'

/** skill:secrets:{uid} and skill:secrets:{uid}:{skillId}, sealed; `SecretSeals` opens them. */
export type SecretStore = {
  /**
   * The stored secrets of these names, of the skill and of the user in one batch, and with `withShared`
   * the gateway's own in the same batch; those that do not exist are left out. May be up to
   * SECRET_CACHE_MS old; that a name has none at all is never cached.
   */
  find(of: {
    uid: string
    skillId: string
    names: readonly string[]
    withShared?: boolean
  }): Promise<readonly FoundSecret[]>
  /** Puts or replaces one; `too_many` when the record would hold more than SECRETS_MAX names. */
  put(secret: StoredSecret & { readonly uid: string }): Promise<'stored' | 'too_many'>
  /** False when there is none. */
  remove(of: { uid: string; skillId: string | undefined; name: string }): Promise<boolean>
  /**
   * All of a user's without their values, strongly consistent; global ones first, then by skill and
   * name.
   */
  list(uid: string): Promise<readonly SecretDate[]>
}

/** The gateway's own secrets, which serve users who have none of the name. Found by `SecretStore`. */
export type SharedSecrets = {
  /**
   * Puts or replaces one. With `keepPreviousUntilMs` the value that it replaces stays beside it, as
   * `previous`; without, none does. `too_many` when the record would hold more than
   * SHARED_SECRETS_MAX names.
   */
  put(secret: SharedSecret, keepPreviousUntilMs?: number): Promise<'stored' | 'too_many'>
  /** With its previous value. False when there is none. */
  remove(place: SecretPlace): Promise<boolean>
  /** All without their values, strongly consistent; those for all skills first, then by skill and name. */
  list(): Promise<readonly SharedSecretDate[]>
  /** Notes that one was used on this day, counted from 1970. An earlier day changes nothing. */
  noteUse(use: SecretPlace & { readonly day: number }): Promise<void>
}

/** Seals and opens one value under `{uid, skillId, name, binding}`: moved anywhere else it does not open. */
export type SecretSeals = {
  /** Does not throw for trouble with the key. */
  seal(context: SecretContext, value: string): Promise<Result<Uint8Array, SealFailure>>
  /** Does not throw either; a failure holds no part of the value. */
  open(context: SecretContext, sealed: Uint8Array): Promise<Result<string, SealFailure>>
}
