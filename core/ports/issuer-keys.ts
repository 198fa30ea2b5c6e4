/** The port of the public keys of issuers, as functions share them. */

/**
 * One record for each issuer, so that a new process need not wait for the issuer. The store is
 * asked once a process.
 */
export type IssuerKeys = {
  /** Undefined if nobody has stored keys of this issuer. May be a little old. */
  read(issuerId: string): Promise<StoredKeys | undefined>
  /** Stores keys, unless those in the store were fetched later. */
  put(issuerId: string, stored: StoredKeys): Promise<void>
}

export type StoredKeys = {
  /** A JSON Web Key Set with public keys alone, as text. */
  readonly keys: string
  readonly fetchedAtMs: number
}
