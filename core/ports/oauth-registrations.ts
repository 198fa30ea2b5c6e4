/** The port of the client ids that authorization servers of upstreams gave to the gateway. */

/** One record for each server and callback URL, so that a server gets one client of the gateway. */
export type OAuthRegistrations = {
  /** Undefined for none, or one that is over. May be a little old. */
  find(id: string, nowMs: number): Promise<string | undefined>
  /**
   * Stores the client id, unless there is one that is not over. Returns the one that counts: of two
   * registrations at once, the first one that was stored.
   */
  add(
    id: string,
    made: { readonly clientId: string; readonly expiresAtMs: number },
    nowMs: number,
  ): Promise<string>
}
