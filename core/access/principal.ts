/** The caller: the stored record of an API key, and the principal that flows pass on. */
import type { KeyScope } from './key-scope.ts'

/** One subject of one issuer (identity.ts). */
export type Identity = { readonly issuer: string; readonly subject: string }

/** Stored under auth:hash:{keyHash}. The store never holds the key, only its hash. */
export type KeyRecord = {
  /** sha256(key), base64url; of a sub-key with `sub:` before it (sub-key.ts). Of an identity, its id. */
  readonly keyHash: string
  readonly uid: string
  /**
   * The user's name when the key was issued: a hint for resolving tool names, never an authority.
   */
  readonly username: string
  /**
   * First characters of the key, for lists; too few to help an attacker guess the key. Of an
   * identity, the host of its issuer.
   */
  readonly keyPrefix: string
  readonly createdAtMs: number
  /**
   * 30 days after creation or last renewal. From then on the key is refused as unknown. An identity
   * never expires (identity.ts).
   */
  readonly expiresAtMs: number
  readonly renewedAtMs: number
  /** Absent for a key that may call every tool of its user. */
  readonly scope?: KeyScope
  /** The key that issued this sub-key; absent for a key of an administrator. */
  readonly parentHash?: string
  /** The id of the login, if this is the record of an access token or the anchor of it. */
  readonly login?: string
  /** Whom an identity names; absent for keys, and if only the id was known when it was linked. */
  readonly identity?: Identity
  /**
   * The anchor of a login (access-token.ts). It has neither the expiry nor the scope of the key:
   * those are read from the key's own record.
   */
  readonly anchor?: true
  /** Hash of the sealing key of each credential that belongs to the record (key-proof.ts). */
  readonly proof?: string
  /** The record was read from `user:uid:{hash}` of the earlier service and is not moved yet. */
  readonly v0?: true
}

export type Principal = {
  readonly uid: string
  /** The hash of the API key, also if the caller sent an access token of a login on that key. */
  readonly keyHash: string
  /**
   * Secret under which answers and states are sealed for this principal. It belongs to the key or
   * to the login and not to an access token, so that it opens them after the token was renewed. It
   * is never stored.
   */
  readonly sealingKey: string
  readonly username: string
  /** What the key may call; absent for every tool of its user. Of a sub-key, what both may call. */
  readonly scope?: KeyScope
  /** The key that issued this sub-key, whose limits count its calls. */
  readonly parentHash?: string
  /** The key is not moved from the earlier service yet, so its user may not be moved either. */
  readonly v0?: true
  /** The access token lacks the scope to call tools, so it may only list and read. */
  readonly isReadOnly?: true
  /** The access token has the scope to manage the account of its user. */
  readonly managesAccount?: true
}
