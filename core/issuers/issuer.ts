/**
 * An authorization server that the operator trusts: its tokens name users of the gateway, and
 * administrators if it has `admin`. The list of issuers is a setting; nothing in it is ever taken
 * from a token. Bound by docs/issuers/README.md and ADR 0114.
 */
import type { AdminRole } from '../access/admin-role.ts'

/** `off`: linked subjects only. `invite`: also people who were invited. `auto`: everybody. */
export const PROVISION_MODES = ['off', 'invite', 'auto'] as const

export type Issuer = {
  /** Compared with a token's `iss` byte by byte. */
  readonly issuer: string
  /** Where its keys are; absent: its metadata name the place. */
  readonly jwksUri?: string
  /** A token must name one of these in `aud`. Empty only if `clientIds` is not. */
  readonly audiences: readonly string[]
  /** The `typ` of a token's header; `any` also takes a token without one. */
  readonly typ: 'at+jwt' | 'JWT' | 'any'
  /** The clients whose tokens are taken; empty for all. */
  readonly clientIds: readonly string[]
  readonly scopeClaim: 'scope' | 'scp' | 'permissions'
  /** What stands before the scopes where clients ask for them; ends in a slash. */
  readonly scopePrefix?: string
  readonly subjectClaim: string
  /** Cognito: the claim `token_use` must be this. */
  readonly tokenUse?: 'access'
  /** Present for opaque tokens (RFC 7662), whose issuer is asked about each of them. */
  readonly introspection?: Introspection
  readonly provision: (typeof PROVISION_MODES)[number]
  /** For users that are made on first sight: credits, in whole credits. */
  readonly initialCredits: number
  /** Their tier, unless `tierOf` finds one. */
  readonly tier: string
  /** The tier by a value of a claim, read when the user is made. The first match counts. */
  readonly tierOf?: ClaimMap<string>
  /** The groups by values of a claim, read when the user is made. All matches count. */
  readonly groupsOf?: ClaimMap<string>
  /** Domains of verified mail addresses; empty for any user. Only for `auto`. */
  readonly allowedDomains: readonly string[]
  /** Present if its people may use the admin API. */
  readonly admin?: AdminIssuer
  /** Present if its people may sign in to the console as users. */
  readonly console?: ConsoleIssuer
}

export type Introspection = {
  readonly url: string
  readonly clientId: string
  /** On AWS the name or ARN of a secret; in the twin the secret itself. */
  readonly clientSecret: string
}

/** A claim whose value, or each of whose values, is looked up. */
export type ClaimMap<T> = {
  readonly claim: string
  readonly values: { readonly [value: string]: T }
}

export type ConsoleIssuer = {
  /** A public client whose redirect URI is the console. */
  readonly clientId: string
  /** What the console asks for; the token must be good for the doors of agents. */
  readonly scopes: readonly string[]
}

export type AdminIssuer = {
  readonly audiences: readonly string[]
  readonly roleOf: ClaimMap<AdminRole>
  /** The client by which `skillgate login` signs people in. */
  readonly clientId: string
  /** The scopes that `skillgate login` asks for. */
  readonly scopes: readonly string[]
}
