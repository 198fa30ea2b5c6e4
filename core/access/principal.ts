/** Who is calling: the record behind an API key, and the principal that flows pass on. */

/** Stored under auth:hash:{keyHash}. Only the hash of a key is ever stored. */
export type KeyRecord = {
  /** sha256(key), base64url. */
  readonly keyHash: string
  readonly uid: string
  /** The user's name when the key was issued: a hint for resolving tool names, never an authority. */
  readonly username: string
  /** First characters of the key, for lists; too few to guess it from. */
  readonly keyPrefix: string
  readonly createdAtMs: number
  /** 30 days after creation or last renewal; past it the key is unknown. */
  readonly expiresAtMs: number
  readonly renewedAtMs: number
  /** Known from `user:uid:{hash}` of the earlier service and not moved yet; not stored. */
  readonly v0?: true
}

export type Principal = {
  readonly uid: string
  readonly keyHash: string
  readonly username: string
  /** By a key that is not moved yet: the user may not be either. */
  readonly v0?: true
}
