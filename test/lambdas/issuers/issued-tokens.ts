/**
 * Tokens of an issuer, at the port that checks them: a token is known here or it is not. Which
 * tokens the adapter accepts is a matter of its own tests.
 */
import { toIdentityId } from '../../../core/access/identity.ts'
import { admitCaller } from '../../../core/flow/access/admit-caller.ts'
import { createV0Lookups } from '../../../core/flow/access/v0-lookups.ts'
import type { Issuer } from '../../../core/issuers/issuer.ts'
import type { VerifiedToken } from '../../../core/ports/issuers.ts'
import type { Settings } from '../../../core/settings.ts'
import { type AgentStream, openStreamOf } from '../../core/flow/client.ts'
import { okOf, SETTINGS, type World } from '../../core/flow/world.ts'

export const ISSUER: Issuer = {
  issuer: 'https://as.example/tenant',
  audiences: ['https://mcp.example/mcp'],
  typ: 'at+jwt',
  clientIds: [],
  scopeClaim: 'scope',
  subjectClaim: 'sub',
  provision: 'off',
  initialCredits: 0,
  tier: 'free',
  allowedDomains: [],
}

export const ISSUER_SETTINGS: Settings = {
  ...SETTINGS,
  issuers: [ISSUER],
  publicOrigin: 'https://mcp.example',
}

/** As RFC 8414 and MCP name them; an empty list is a token without any scope. */
export const BOTH = ['tools:read', 'tools:call']

export type IssuedTokens = {
  /** The Authorization header of a fresh token. */
  issue(subject: string, scopes?: readonly string[]): string
  /** The token is refused from now on, as when it has expired. */
  end(bearer: string): void
}

/** Makes the world accept tokens of the issuer. Doors that were built before do not. */
export function acceptTokens(world: World, issuer = ISSUER): IssuedTokens {
  const known = new Map<string, VerifiedToken>()
  world.ports.tokenVerifier = {
    asksIssuer: () => false,
    verify: async (token, use) => {
      const found = use === 'agent' ? known.get(token) : undefined
      if (found !== undefined) return { kind: 'verified', token: found }
      const isJwt = token.split('.').length === 3
      return isJwt ? { kind: 'refused', reason: 'signature' } : { kind: 'not_a_token' }
    },
  }
  let count = 0
  return {
    issue: (subject, scopes = BOTH) => {
      count += 1
      const token = `eyJhbGciOiJFUzI1NiJ9.${Buffer.from(`${subject}-${count}`).toString('base64url')}.c2ln`
      const expiresAtMs = world.clock.nowMs() + 300_000
      known.set(token, { issuer, subject, scopes, expiresAtMs, claims: { sub: subject } })
      return `Bearer ${token}`
    },
    end: (bearer) => void known.delete(bearer.slice('Bearer '.length)),
  }
}

/** Links the subject to the user when earlier logins have come to /mcp. Returns the identity's id. */
export async function linkIdentity(world: World, uid: string, subject: string): Promise<string> {
  await world.ports.logins.secret()
  return linkFirstIdentity(world, uid, subject)
}

/** Links the subject as an administrator does, in a gateway that has served no login yet. */
export async function linkFirstIdentity(
  world: World,
  uid: string,
  subject: string,
): Promise<string> {
  const id = toIdentityId(world.ports.digests, { issuer: ISSUER.issuer, subject })
  const nowMs = world.clock.nowMs()
  await world.ports.keys.put({
    keyHash: id,
    uid,
    username: uid,
    keyPrefix: 'as.example',
    createdAtMs: nowMs,
    expiresAtMs: nowMs + 30 * 86_400_000,
    renewedAtMs: nowMs,
  })
  return id
}

/** A stream of HTTP+SSE that the door opens for the token. */
export async function openTokenStream(world: World, authorization: string): Promise<AgentStream> {
  const { ports, settings } = world
  const admitting = { ports, settings, lookups: createV0Lookups() }
  const sent = { authorization, address: '203.0.113.9' }
  return openStreamOf(world, okOf(await admitCaller(admitting, sent)))
}
