/**
 * A gateway in memory, an issuer, and people who come from it with verified tokens. Each process
 * has caches of its own over one store.
 */
import { openLocalStore } from '../../../../adapters/dynamodb/local-store.ts'
import { dynamoStorePorts } from '../../../../adapters/dynamodb/store-ports.ts'
import { runSteps } from '../../../../bench/lib/run-steps.ts'
import { admitIdentity } from '../../../../core/flow/access/admit-identity.ts'
import { makeExecuteCaches } from '../../../../core/flow/execute/execute-caches.ts'
import { executeSkill } from '../../../../core/flow/execute/execute-skill.ts'
import { makeProvision } from '../../../../core/flow/users/provision-identity.ts'
import type { Issuer } from '../../../../core/issuers/issuer.ts'
import type { Json, JsonObject } from '../../../../core/json/json.ts'
import { readToolAccess } from '../../../../core/login/token-scopes.ts'
import type { VerifiedToken } from '../../../../core/ports/issuers.ts'
import type { Ports } from '../../../../core/ports/ports.ts'
import { makeWorld, okOf, type World } from '../world.ts'

export const ISSUER: Issuer = {
  issuer: 'https://login.example.com/t1',
  audiences: ['https://mcp.example.com/mcp'],
  typ: 'at+jwt',
  clientIds: [],
  scopeClaim: 'scope',
  subjectClaim: 'sub',
  provision: 'auto',
  initialCredits: 5,
  tier: 'free',
  allowedDomains: [],
}

/** The id of the subject `ada`: SHA-256 of the issuer, a line feed and the subject. */
export const ADA_ID = 'i:nWN1st9XJ_5G-gO_ieSpb9DpwWMUBS1vlGiy2lJJpk8'
/** The uid of a user who is made for it. */
export const ADA_UID = 'i-nWN1st9XJ_5G-gO_ieSpb9'

export function tokenOf(
  subject: string,
  claims: JsonObject = {},
  issuer: Partial<Issuer> = {},
): VerifiedToken {
  const scopes = ['tools:read', 'tools:call']
  const expiresAtMs = 2_000_000_900_000
  return { issuer: { ...ISSUER, ...issuer }, subject, scopes, expiresAtMs, claims }
}

export const mailOf = (email: Json) => ({ email, email_verified: true })

export type Process = {
  readonly ports: Ports
  /** Admits a token as the function mcp does. */
  admit(token: VerifiedToken): ReturnType<typeof admitIdentity>
  /** The error code of one call of the token's user; undefined for a call that succeeds. */
  call(token: VerifiedToken): Promise<string | undefined>
}

/** `stores` replaces ports of the store in this process. */
export type OpenProcess = (stores?: (ports: Ports) => Partial<Ports>) => Process

export function firstLogins(): { readonly world: World; readonly open: OpenProcess } {
  const world = makeWorld()
  const local = openLocalStore({ clock: world.clock })
  Object.assign(world.ports, local.ports)
  const open: OpenProcess = (stores = () => ({})) => {
    const own = { ...world.ports, ...dynamoStorePorts(local.store) }
    const ports = { ...own, ...stores(own) }
    const provision = makeProvision(ports, world.settings)
    const admit = (token: VerifiedToken) =>
      admitIdentity({ ...ports, provision, makeSecret: ports.logins.secret }, token)
    return { ports, admit, call: (token) => callOnce(world, ports, admit, token) }
  }
  return { world, open }
}

async function callOnce(
  world: World,
  ports: Ports,
  admit: Process['admit'],
  token: VerifiedToken,
): Promise<string | undefined> {
  const admitted = await admit(token)
  if (!admitted.ok) return admitted.error.code
  const executed = executeSkill(ports, world.settings, makeExecuteCaches(), {
    credential: { ...okOf(admitted), mayCall: readToolAccess(token.scopes) === 'call' },
    body: { skill: 'sg_weather', arguments: {} },
    terms: undefined,
    idempotencyKey: undefined,
    gone: new AbortController().signal,
  })
  const { after, answer } = await executed
  await runSteps(after)
  return answer.kind === 'problem' ? answer.body.code : undefined
}
