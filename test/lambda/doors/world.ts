// The whole gateway as deployed: the bundles under AWS's runtime client, each behind its front,
// one embedded DynamoDB behind them, an upstream beside them. Roles as deployed: sse may call
// messages and execute; admin, sweep and, for one release, messages may call execute; no other role
// may.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { dynamoClient } from '../../../adapters/dynamodb/client/client.ts'
import { createTables } from '../../../adapters/dynamodb/create-tables.ts'
import { startEmbedded } from '../../../bench/lib/embedded-dynamodb.ts'
import { toProcessEnvironment, WAITING_MB } from '../../../lib/door-sizes.ts'
import { type KmsServer, startKmsServer } from '../../adapters/kms/kms-server.ts'
import { type SecretsServer, startSecretsServer } from '../../adapters/secrets/secrets-server.ts'
import { roleNameOf, roleOf, type TestRole, testAccountId, testRegion } from '../credentials.ts'
import { type FunctionUrl, startFunctionUrl } from '../function-url.ts'
import { type InvokeApi, startInvokeApi } from '../invoke-api.ts'
import { type FunctionSettings, type LambdaFunction, startFunction } from '../lambda-function.ts'
import type { LocalServer } from '../local-server.ts'
import { repositoryDir } from '../paths.ts'
import { startRestApi } from '../rest-api.ts'
import { type StoreLine, startStoreLine } from './store-line.ts'
import { startUpstream, type Upstream } from './upstream.ts'

export const TABLES = { gateway: 'Gateway', sessions: 'Sessions' }
/** As `AWS_ENDPOINT_URL_SECRETS_MANAGER` holds them for the admin door. */
export const SECRETS = {
  INTERNAL_API_SECRET: 'internal-secret-of-these-tests',
  ADMIN_KEY: 'admin-key-of-these-tests',
}
export const SECRET_IDS = { INTERNAL_SECRET_ID: 'test/internal', ADMIN_SECRET_ID: 'test/admin' }

export type Door = 'sse' | 'messages' | 'mcp' | 'execute' | 'admin' | 'sweep' | 'usage'

export type World = Readonly<Record<Door, LambdaFunction>> & {
  readonly sseUrl: FunctionUrl
  readonly messagesUrl: FunctionUrl
  readonly mcpUrl: FunctionUrl
  readonly executeUrl: FunctionUrl
  /** The same function behind AWS_IAM. */
  readonly executeIamUrl: FunctionUrl
  /** Ask for `${url}/v1/admin/…`. */
  readonly adminApi: LocalServer
  readonly upstream: Upstream
  readonly secrets: SecretsServer
  /** Of users' secrets. */
  readonly kms: KmsServer
  /** The store itself, behind the line. */
  readonly storeEndpoint: string
  readonly line: StoreLine
  /** Only with a private upstream. */
  readonly caller?: { readonly fn: LambdaFunction; readonly api: InvokeApi }
  readonly stop: () => Promise<void>
}

export type Service = 'dynamodb' | 'kms' | 'secretsmanager'

export type WorldSettings = {
  readonly holdLastChunk?: boolean
  readonly sse?: Partial<FunctionSettings>
  readonly messages?: Partial<FunctionSettings>
  readonly mcp?: Partial<FunctionSettings>
  readonly execute?: Partial<FunctionSettings>
  /** More variables for sse, which may name what the store has. */
  readonly sseEnv?: (storeEndpoint: string) => Promise<Readonly<Record<string, string>>>
  /** More variables for usage: where its archive is. */
  readonly archiveEnv?: () => Readonly<Record<string, string>>
  /** The store address of a door; all of them use `line` by default. */
  readonly storeOf?: (door: Door, storeEndpoint: string) => Promise<string>
  /** An address in front of a service, for all doors; called once the tables are there. */
  readonly inFrontOf?: (service: Service, endpoint: string) => Promise<string>
  /** The roles that may call the internal URL of a door, in place of those named above. */
  readonly callersOf?: (door: 'execute' | 'messages') => readonly TestRole[]
  /** For every door, in place of the bundles of dist/ and AWS's runtime client. */
  readonly functions?: {
    readonly bundleOf: (door: Door) => string
    readonly runtimeClient: string
  }
  /** How long the upstream takes; 0 by default. */
  readonly upstreamMs?: number
  /** The upstream is a private host: functions reach it by an Invoke of the caller. */
  readonly isUpstreamPrivate?: boolean
  /** More variables for every door. */
  readonly env?: Readonly<Record<string, string>>
}

export function bundleOf(door: Door | 'caller'): string {
  const bundle = join(repositoryDir, 'dist', door, 'index.mjs')
  if (!existsSync(bundle)) throw new Error(`no bundle of ${door}: run npm run bundle`)
  return bundle
}

export async function startWorld(settings: WorldSettings = {}): Promise<World> {
  await using opened = new AsyncDisposableStack()
  const later = <T extends { stop: () => Promise<void> }>(started: T): T => {
    opened.defer(() => started.stop())
    return started
  }
  const store = later(await startStore())
  const line = later(await startStoreLine(store.endpoint))
  const upstream = later(await startUpstream(settings.upstreamMs))
  const front = async (service: Service, endpoint: string) =>
    (await settings.inFrontOf?.(service, endpoint)) ?? endpoint
  const storeFront = await front('dynamodb', line.endpoint)
  const { isUpstreamPrivate = false } = settings
  const env = {
    GATEWAY_TABLE: TABLES.gateway,
    SESSIONS_TABLE: TABLES.sessions,
    [isUpstreamPrivate ? 'PRIVATE_HOSTS' : 'OUTBOUND_ALLOW']: upstream.host,
    ...settings.env,
  }
  const start = async (
    door: Door,
    more: Record<string, string>,
    how: Partial<FunctionSettings> = {},
  ) => {
    const endpoint = (await settings.storeOf?.(door, store.endpoint)) ?? storeFront
    const process = toProcessEnvironment({ callMemoryMb: WAITING_MB }, door)
    const own = { ...env, ...process, AWS_ENDPOINT_URL_DYNAMODB: endpoint, ...more, ...how.env }
    const { bundleOf: bundle = bundleOf, ...client } = settings.functions ?? {}
    const code = { functionName: door, bundle: bundle(door) }
    return later(startFunction({ ...code, ...client, ...how, env: own }))
  }

  const caller = isUpstreamPrivate ? await startCaller(upstream.host, later) : undefined
  const callerAt: Record<string, string> =
    caller === undefined
      ? {}
      : { CALLER_FUNCTION: CALLER_ARN, AWS_ENDPOINT_URL_LAMBDA: caller.api.url }
  const kms = later(await startKmsServer())
  const kmsAt = {
    SECRETS_KEY_ID: kms.keyId,
    AWS_ENDPOINT_URL_KMS: await front('kms', kms.endpoint),
  }

  const archiveAt = { ARCHIVE_BUCKET: 'archive', ...settings.archiveEnv?.() }
  const callsAt = { ...kmsAt, ...callerAt, ...archiveAt }
  const forExecute = {
    ...callsAt,
    ADMIN_ROLE: roleNameOf('admin'),
    SWEEP_ROLE: roleNameOf('sweep'),
  }
  const execute = await start('execute', forExecute, settings.execute)
  const executeUrl = later(await startFunctionUrl({ fn: execute, authType: 'NONE' }))
  const ours = { execute: ['sse', 'messages', 'admin', 'sweep'], messages: ['sse'] }
  const callersOf = settings.callersOf ?? ((door) => ours[door].map(roleOf))
  const callers = callersOf('execute')
  const inner = { fn: execute, authType: 'AWS_IAM', callers, qualifier: 'internal' } as const
  const executeIamUrl = later(await startFunctionUrl(inner))
  const peers = { EXECUTE_IAM_URL: executeIamUrl.url }
  const messages = await start('messages', callsAt, settings.messages)
  const messagesUrl = later(
    await startFunctionUrl({ fn: messages, authType: 'AWS_IAM', callers: callersOf('messages') }),
  )
  const sseOnly = { MESSAGES_URL: messagesUrl.url, ...(await settings.sseEnv?.(store.endpoint)) }
  const sse = await start('sse', { ...peers, ...sseOnly }, settings.sse)
  const { holdLastChunk = false } = settings
  const sseUrl = later(await startFunctionUrl({ fn: sse, authType: 'NONE', holdLastChunk }))
  const mcp = await start('mcp', callsAt, settings.mcp)
  const mcpUrl = later(await startFunctionUrl({ fn: mcp, authType: 'NONE', holdLastChunk }))
  const secrets = later(await startSecrets())
  const secretsFront = await front('secretsmanager', secrets.endpoint)
  const secretsAt = {
    ...SECRET_IDS,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsFront,
    // Alarms are asked for where functions are; nothing leaves this machine.
    AWS_ENDPOINT_URL_LAMBDA: secretsFront,
  }
  const admin = await start('admin', { ...peers, ...secretsAt, ...kmsAt })
  const adminApi = later(await startRestApi({ fn: admin, stage: 'v1' }))
  const sweep = await start('sweep', peers)
  const usage = await start('usage', archiveAt)
  const stack = opened.move()
  const functions = { sse, messages, mcp, execute, admin, sweep, usage }
  const fronts = { sseUrl, messagesUrl, mcpUrl, executeUrl, executeIamUrl, adminApi }
  const outside = { upstream, secrets, kms, storeEndpoint: store.endpoint, line }
  const more = caller === undefined ? {} : { caller }
  return { ...functions, ...fronts, ...outside, ...more, stop: () => stack.disposeAsync() }
}

const CALLER_ARN = `arn:aws:lambda:${testRegion}:${testAccountId}:function:caller:internal`

/** The caller with the variables that its stage gives it, and no others. */
async function startCaller(
  privateHost: string,
  later: <T extends { stop: () => Promise<void> }>(started: T) => T,
) {
  const process = toProcessEnvironment({ callMemoryMb: WAITING_MB }, 'caller')
  const bundle = bundleOf('caller')
  const env = { ...process, PRIVATE_HOSTS: privateHost }
  const fn = later(startFunction({ functionName: 'caller', bundle, env }))
  const callers = ['execute', 'mcp', 'messages'].map(roleOf)
  const invoke = (event: unknown) => fn.invoke(event)
  return { fn, api: later(await startInvokeApi({ functionArn: CALLER_ARN, callers, invoke })) }
}

async function startSecrets(): Promise<SecretsServer> {
  const secrets = await startSecretsServer()
  const { INTERNAL_SECRET_ID, ADMIN_SECRET_ID } = SECRET_IDS
  secrets.set(INTERNAL_SECRET_ID, JSON.stringify({ current: SECRETS.INTERNAL_API_SECRET }))
  secrets.set(ADMIN_SECRET_ID, JSON.stringify({ current: SECRETS.ADMIN_KEY }))
  return secrets
}

async function startStore() {
  const store = await startEmbedded({})
  if ('missing' in store) throw new Error(`these tests need it: ${store.missing}`)
  const client = dynamoClient({ endpoint: store.endpoint })
  await createTables(client, TABLES)
  client.destroy()
  return store
}
