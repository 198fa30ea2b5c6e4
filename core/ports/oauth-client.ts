/** The port by which the gateway is an OAuth client of upstreams, for logins of users. */
import type { Result } from '../errors.ts'

/** An authorization server, as far as a login needs it. */
export type OAuthServer = {
  /** The identifier that its own metadata repeats. */
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly registrationEndpoint?: string
  /** All scopes that the resource names, with spaces; undefined if it names none. */
  readonly scope?: string | undefined
  /** The client id may be the URL of a document that describes the client. */
  readonly takesDocuments: boolean
  /** Its answers to the browser name the issuer (RFC 9207). */
  readonly sendsIssuer: boolean
}

/** The client at one authorization server, and the upstream that its tokens are for. */
export type OAuthGrant = {
  readonly server: Pick<OAuthServer, 'issuer' | 'sendsIssuer' | 'tokenEndpoint'>
  readonly clientId: string
  /** RFC 8707. */
  readonly resource: string
  /** Whose connections to the server are used. */
  readonly uid: string
}

export type OAuthTokens = {
  readonly accessToken: string
  readonly refreshToken?: string
  readonly expiresInSec?: number
}

/**
 * `refused`: the server said no, so the same request fails again. `unreachable`: no usable answer,
 * and it is unknown what the server did. The detail has no token and nothing that a server wrote.
 */
export type OAuthFailure = {
  readonly kind: 'refused' | 'unreachable'
  readonly detail: string
}

export type OAuthClient = {
  /**
   * Finds the authorization server of a protected resource, or reads the metadata of `issuer`. The
   * metadata must name the issuer that was asked, and PKCE with S256.
   */
  discover(of: {
    readonly resource: string
    readonly issuer: string | undefined
    readonly uid: string
  }): Promise<Result<OAuthServer, OAuthFailure>>
  /** Registers a public client (RFC 7591). Returns its id. */
  register(
    server: OAuthServer,
    client: { readonly name: string; readonly redirectUri: string; readonly uid: string },
  ): Promise<Result<string, OAuthFailure>>
  /** Returns the URL for the browser, and the verifier (PKCE) that its code needs. */
  authorize(
    server: OAuthServer,
    asked: {
      readonly clientId: string
      readonly redirectUri: string
      readonly resource: string
      readonly scope: string | undefined
      readonly state: string
    },
  ): Promise<{ readonly url: string; readonly verifier: string }>
  /** Checks state and issuer of the answer that the browser brought, and exchanges its code. */
  exchange(
    grant: OAuthGrant,
    answer: {
      /** The query of the callback, as it came. */
      readonly query: string
      readonly redirectUri: string
      readonly state: string
      readonly verifier: string
    },
  ): Promise<Result<OAuthTokens, OAuthFailure>>
  refresh(grant: OAuthGrant, refreshToken: string): Promise<Result<OAuthTokens, OAuthFailure>>
}
