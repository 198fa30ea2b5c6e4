/**
 * Gateways that trust a foreign authorization server: the twin, the twin behind an origin that renames
 * WWW-Authenticate, and the bundled doors behind a function URL, which renames it. A person's first login makes
 * the person a user.
 */
import { startLoginTwin } from '../local/login-twin.ts'
import {
  ALL_SCOPES,
  type AuthorizationServer,
  startAuthorizationServer,
} from './authorization-server.ts'
import { type Front, startFront } from './front.ts'
import {
  type Administrator,
  type LoginGateway,
  type LoginWorld,
  makeAdministrator,
} from './gateway.ts'

/** All that worlds of one gateway share. */
type Gateway = {
  readonly front: Front
  readonly server: AuthorizationServer
  readonly ask: Administrator
  readonly isChallengeSeen: boolean
  /** Ends what parts of the gateway remember of users. */
  forgetUsers(): Promise<void>
  stop(): Promise<void>
}

export async function startForeignLogin({
  renames,
}: {
  readonly renames: boolean
}): Promise<LoginGateway> {
  await using opened = new AsyncDisposableStack()
  const { front, issuers, server } = await startIssuer(opened, { renames })
  const twin = await startLoginTwin(
    { login: false, issuers, publicOrigin: front.origin, outboundAllow: [toHost(server)] },
    { renamesChallenge: renames },
  )
  opened.defer(() => twin.stop())
  front.sendTo(twin.origin)
  const ask = makeAdministrator(`${twin.origin}/v1/admin`, twin.credentials.adminKey)
  const stack = opened.move()
  return toGateway({
    front,
    server,
    ask,
    isChallengeSeen: !renames,
    // The admin API in the same process does.
    forgetUsers: async () => {},
    stop: () => stack.disposeAsync(),
  })
}

export async function startForeignLoginOnLambda(): Promise<LoginGateway> {
  const { startWorld, SECRETS } = await import('../lambda/doors/world.ts')
  const { syncSkills } = await import('../lambda/doors/people.ts')
  await using opened = new AsyncDisposableStack()
  const { front, issuers, server } = await startIssuer(opened, { renames: false })
  const env = {
    ISSUERS: JSON.stringify(issuers),
    PUBLIC_ORIGIN: front.origin,
    TIER_LIMITS: 'free:10000',
    // The upstream of the skills, and the authorization server.
    OUTBOUND_ALLOW: '127.0.0.1',
  }
  const world = await startWorld({ env, mcp: { timeoutMs: 120_000 } })
  opened.defer(() => world.stop())
  front.sendTo(world.mcpUrl.url)
  await syncSkills(world)
  const ask = makeAdministrator(`${world.adminApi.url}/v1/admin`, SECRETS.ADMIN_KEY)
  const stack = opened.move()
  return toGateway({
    front,
    server,
    ask,
    isChallengeSeen: false,
    // An environment remembers a user for a while; a new one does not.
    forgetUsers: () => world.mcp.killAll(),
    stop: () => stack.disposeAsync(),
  })
}

async function startIssuer(
  opened: AsyncDisposableStack,
  { renames }: { readonly renames: boolean },
) {
  const front = await startFront({ renames })
  opened.defer(() => front.stop())
  const server = await startAuthorizationServer()
  opened.defer(() => server.stop())
  const audiences = [`${front.origin}/mcp`]
  const issuers = [
    { issuer: server.issuer, audiences, provision: 'auto', initialCredits: 10 } as const,
  ]
  return { front, server, issuers }
}

function toHost({ issuer }: AuthorizationServer): string {
  return new URL(issuer).host
}

function toGateway(gateway: Gateway): LoginGateway {
  let opened = 0
  return {
    open: async () => {
      opened += 1
      return openWorld(gateway, `person${opened}`)
    },
    stop: () => gateway.stop(),
  }
}

function openWorld(gateway: Gateway, account: string): LoginWorld {
  const { ask, front, isChallengeSeen, server } = gateway
  Object.assign(server.mood, { account, allowed: ALL_SCOPES, audience: undefined })
  return {
    mcp: `${front.origin}/mcp`,
    logIn: server.logIn,
    expire: () => front.expireTokens(),
    revoke: async () => {
      const reason = 'left the company'
      for (const uid of await listNewUsers(ask)) {
        await ask('PATCH', `users/${uid}`, { state: 'disabled', reason })
      }
      await gateway.forgetUsers()
    },
    issuer: {
      isChallengeSeen,
      refusals: () => front.refusals(),
      issueForElsewhere: (isElsewhere) => {
        server.mood.audience = isElsewhere ? 'https://other.example/mcp' : undefined
      },
      allowReading: () => {
        server.mood.allowed = 'tools:read'
      },
      allowAll: () => {
        server.mood.allowed = ALL_SCOPES
      },
    },
    close: async () => {},
  }
}

/** Users that a first login made: their uids begin with `i-`. */
async function listNewUsers(ask: Administrator): Promise<readonly string[]> {
  const listed = JSON.stringify(await ask('GET', 'users'))
  return [...listed.matchAll(/"uid":"(i-[^"]+)"/g)].map(([, uid = '']) => uid)
}
