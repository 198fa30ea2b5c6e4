/**
 * Results that are too large for an answer: their bytes are kept for an hour, and only the user
 * whose call it was can read them.
 */
export type KeptResults = {
  /** `resultId` is random and new. Throws `Fault('store_unavailable')`. */
  put(result: KeptResult & { readonly bytes: Uint8Array }): Promise<void>
  /** Undefined for an unknown id, another user's, or one that is over. Past the end, no bytes. */
  read(part: {
    readonly uid: string
    readonly resultId: string
    readonly from: number
    readonly bytesMax: number
  }): Promise<
    (KeptResult & { readonly totalBytes: number; readonly bytes: Uint8Array }) | undefined
  >
}

export type KeptResult = {
  readonly uid: string
  readonly resultId: string
  /** Lower-case, without parameters. */
  readonly mimeType: string
  readonly expiresAtMs: number
}
