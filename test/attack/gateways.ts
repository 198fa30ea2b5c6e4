/** Starts what is attacked: a twin in a fresh folder, or the bundled doors under AWS's runtime client. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IssuerSetting } from '../../core/issuers/issuer-setting.ts'
import { DOOR_SIZES } from '../../lib/door-sizes.ts'
import { startSecretsServer } from '../adapters/secrets/secrets-server.ts'
import { startTwin } from '../e2e/twin.ts'
import { startFront } from '../oauth/front.ts'
import type { Gateway } from './target.ts'

/** High, since the attacks are many and this limit has tests of its own. */
const CALLS_PER_MINUTE = 10_000

/** What the attacker brings: hosts that the gateway may call, and who signed for those with https. */
type Outside = { readonly hosts: string; readonly clients: { readonly certificateFile: string } }
export type GatewayOptions = {
  readonly login: boolean
  /** Whose tokens it accepts. */
  readonly issuers: readonly IssuerSetting[]
  /** Whether its doors answer nobody but an edge; needs the bundles. */
  readonly edge?: boolean
}

export async function startTwinGateway(
  { clients, hosts }: Outside,
  { issuers, login }: GatewayOptions,
): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-attack-'))
  const removed = () => rmSync(folder, { recursive: true, force: true })
  try {
    const issuersFile = join(folder, 'issuers.json')
    writeFileSync(issuersFile, JSON.stringify(issuers))
    const twin = await startTwin(
      [
        '--data',
        folder,
        ...(login ? ['--login'] : []),
        ...(issuers.length > 0 ? ['--issuers', issuersFile] : []),
        '--outbound-allow',
        hosts,
        '--calls-per-minute',
        String(CALLS_PER_MINUTE),
      ],
      { env: { NODE_EXTRA_CA_CERTS: clients.certificateFile } },
    )
    const { admin, execute, internalApiSecret, mcp, pid, sse, url: origin } = twin
    const stop = async () => {
      await twin.stop()
      removed()
    }
    return {
      runtime: 'twin',
      sse,
      mcp,
      origin,
      execute,
      admin,
      internalApiSecret,
      pid,
      edge: undefined,
      log: twin.said,
      stop,
    }
  } catch (cause) {
    removed()
    throw cause
  }
}

export async function startLambdaGateway(
  { clients, hosts }: Outside,
  { edge = false, issuers, login }: GatewayOptions,
): Promise<Gateway> {
  const { SECRETS, startWorld } = await import('../lambda/doors/world.ts')
  // A login, own or of issuers, needs an origin of its operator's own before the functions.
  const front = await startFront({ renames: true })
  const values = edge ? await startEdgeSecret() : undefined
  const world = await startWorld({
    env: {
      ...(login ? { LOGIN: 'on' } : {}),
      ...(login || issuers.length > 0 ? { PUBLIC_ORIGIN: front.origin } : {}),
      ...(issuers.length > 0 ? { ISSUERS: JSON.stringify(issuers) } : {}),
      OUTBOUND_ALLOW: hosts,
      TIER_LIMITS: `free:${CALLS_PER_MINUTE}`,
      NODE_EXTRA_CA_CERTS: clients.certificateFile,
      ...values?.env,
    },
    // As deployed: a shorter one ends streams on a busy machine, amid an attack.
    sse: { concurrencyMax: 40, timeoutMs: DOOR_SIZES.sse.timeoutSec * 1_000 },
    inFrontOf: async (service, endpoint) =>
      service === 'secretsmanager' ? (values?.endpoint ?? endpoint) : endpoint,
  })
  front.sendTo(world.mcpUrl.url)
  return {
    runtime: 'lambda',
    sse: `${world.sseUrl.url}/v1/mcp/sse`,
    mcp: `${world.mcpUrl.url}/mcp`,
    origin: front.origin,
    execute: `${world.executeUrl.url}/v1/execute`,
    admin: `${world.adminApi.url}/v1/admin`,
    internalApiSecret: SECRETS.INTERNAL_API_SECRET,
    pid: undefined,
    edge: values && { value: EDGE_VALUE, old: OLD_EDGE_VALUE },
    log: () => world.mcp.log(),
    stop: async () => {
      await front.stop()
      await world.stop()
      await values?.stop()
    },
  }
}

const EDGE_SECRET_ID = 'test/edge'
const EDGE_VALUE = 'C'.repeat(43)
const OLD_EDGE_VALUE = 'P'.repeat(43)

/** A service with the secrets of all doors, after a rotation of the edge's. */
async function startEdgeSecret() {
  const { SECRET_IDS, SECRETS } = await import('../lambda/doors/world.ts')
  const secrets = await startSecretsServer()
  secrets.set(EDGE_SECRET_ID, JSON.stringify({ current: EDGE_VALUE }))
  secrets.set(
    SECRET_IDS.INTERNAL_SECRET_ID,
    JSON.stringify({ current: SECRETS.INTERNAL_API_SECRET }),
  )
  secrets.set(SECRET_IDS.ADMIN_SECRET_ID, JSON.stringify({ current: SECRETS.ADMIN_KEY }))
  const { endpoint } = secrets
  const env = { EDGE_SECRET_ID, AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint }
  return { endpoint, env, stop: () => secrets.stop() }
}
