/**
 * Gateways with their own login: the twin, the twin behind an origin that renames WWW-Authenticate, and the
 * bundled doors under AWS's runtime client behind such an origin.
 */

import { logIn } from '../local/login-person.ts'
import { startLoginTwin } from '../local/login-twin.ts'
import { type ServedDocuments, serveDocuments } from './documents.ts'
import { type Front, startFront } from './front.ts'
import { addKeyHolder, type LoginGateway, type LoginWorld, makeAdministrator } from './gateway.ts'

/** Longer than an access token lives, and than a door remembers a key. */
const TOKEN_LIFE_MS = 3_600_000
const PERSON = 'person'

export async function startOwnLogin({
  renames,
}: {
  readonly renames: boolean
}): Promise<LoginGateway> {
  const documents = await serveDocuments()
  return {
    open: () => openTwin(documents, renames),
    stop: () => documents.stop(),
  }
}

/** A twin for each world, since a world moves its clock. */
async function openTwin(documents: ServedDocuments, renames: boolean): Promise<LoginWorld> {
  const front = renames ? await startFront({ renames }) : undefined
  const change = front === undefined ? {} : { publicOrigin: front.origin }
  const twin = await startLoginTwin(
    { ...change, outboundAllow: [documents.host] },
    { ...documents.seam, renamesChallenge: renames },
  )
  front?.sendTo(twin.origin)
  const origin = front?.origin ?? twin.origin
  const ask = makeAdministrator(`${twin.origin}/v1/admin`, twin.credentials.adminKey)
  const { key, revoke } = await addKeyHolder(ask, PERSON)
  return {
    mcp: `${origin}/mcp`,
    logIn: (page) => logIn(origin, page, key),
    expire: () => twin.advance(TOKEN_LIFE_MS),
    revoke,
    close: async () => {
      await front?.stop()
      await twin.stop()
    },
  }
}

export async function startOwnLoginOnLambda(): Promise<LoginGateway> {
  const { startWorld, SECRETS } = await import('../lambda/doors/world.ts')
  const { syncSkills } = await import('../lambda/doors/people.ts')
  // The function URL renames the challenge.
  const front = await startFront({ renames: false })
  const env = { LOGIN: 'on', PUBLIC_ORIGIN: front.origin, TIER_LIMITS: 'free:10000' }
  const world = await startWorld({ env, mcp: { timeoutMs: 120_000 } })
  front.sendTo(world.mcpUrl.url)
  await syncSkills(world)
  const ask = makeAdministrator(`${world.adminApi.url}/v1/admin`, SECRETS.ADMIN_KEY)
  let opened = 0
  return {
    open: async () => {
      opened += 1
      const { key, revoke } = await addKeyHolder(ask, `${PERSON}${opened}`)
      return toWorld(front, key, revoke)
    },
    stop: async () => {
      await front.stop()
      await world.stop()
    },
  }
}

function toWorld(front: Front, key: string, revoke: () => Promise<void>): LoginWorld {
  return {
    mcp: `${front.origin}/mcp`,
    logIn: (page) => logIn(front.origin, page, key),
    expire: () => front.expireTokens(),
    revoke,
    close: async () => {},
  }
}
