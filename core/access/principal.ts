/** The caller: the record behind an API key, and the principal that flows pass on. */

/** Stored under auth:hash:{keyHash}. Only the hash of a key is ever stored. */
export type KeyRecord = {
  /** sha256(key), base64url. */
  readonly keyHash: string
  readonly uid: string
  /**
   * The user's name when the key was issued. A hint for resolving tool names, never an authority.
   */
  readonly username: string
  /** First characters of the key, for lists; too few to help guess it. */
  readonly keyPrefix: string
  readonly createdAtMs: number
  /** 30 days after creation or last renewal; after that the key counts as unknown. */
  readonly expiresAtMs: number
  readonly renewedAtMs: number
  /** Read from `user:uid:{hash}` of the earlier service and not moved yet; not stored. */
  readonly v0?: true
}

export type Principal = {
  readonly uid: string
  /** The id of the credential. A login that renews its tokens keeps one id for all of them. */
  readonly keyHash: string
  /**
   * Secret under which answers and states are sealed for this principal. It belongs to the credential
   * and not to a token of it, so that it opens them after the token was renewed. It is never stored.
   */
  readonly sealingKey: string
  readonly username: string
  /** The key has not been moved from the earlier service, so the user may not have been either. */
  readonly v0?: true
}
