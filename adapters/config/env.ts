/**
 * Reads the environment variables into one typed, frozen configuration. The error names all missing
 * or wrong variables at once, and secrets without their values. No other deployed file reads
 * process.env. The variables, with their ranges and defaults, are rows of core/settings/table.ts.
 * The environment contains no secret of the gateway. The AWS SDK itself reads AWS_ENDPOINT_URL and
 * its variants.
 */
import { err, ok, type Result } from '../../core/errors.ts'
import { DAY_MS } from '../../core/json/utc-time.ts'
import { toMicroCredits } from '../../core/ledger/amount.ts'
import { parseEventTarget } from '../../core/settings/event-target.ts'
import { SETTINGS } from '../../core/settings/table.ts'
import { convertSettings, type Settings, type SettingValues } from '../../core/settings.ts'
import { readCallerFunction } from './caller-function.ts'
import type {
  Config,
  ConfigName,
  EdgeConfig,
  EventTargetsConfig,
  ReplyTailConfig,
  SigningConfig,
  SyntheticCallConfig,
} from './config.ts'
import { type Environment, type EnvReader, makeEnvReader } from './env-reader.ts'
import { readLambdaHosts, readSecretsEndpoint, readStoreClient } from './store-client.ts'
import { VERSION } from './version.ts'

/** `needs`: the parts to read. The error has one line for each missing or wrong variable. */
export function readConfig<N extends ConfigName>(
  env: Environment,
  needs: readonly N[],
): Result<Readonly<Pick<Config, N>>, readonly string[]> {
  const reader = makeEnvReader(env)
  const entries = needs.map((need) => [need, freezeDeep(READERS[need](reader))] as const)
  // Two parts may read one variable, so its error may be listed twice.
  if (reader.faults.length > 0) return err([...new Set(reader.faults)])
  // A cast, as in parsers: READERS gives each name its own type, which the compiler cannot follow.
  return ok(Object.freeze(Object.fromEntries(entries)) as Pick<Config, N>)
}

/** For a door's start: throws an error that lists all missing or wrong variables. */
export function readProcessConfig<N extends ConfigName>(
  needs: readonly N[],
): Readonly<Pick<Config, N>> {
  const config = readConfig(process.env, needs)
  if (config.ok) return config.value
  throw new Error(`The environment does not fit:\n  ${config.error.join('\n  ')}`)
}

/** What requests of skills to AWS are signed with, and where STS is if not at AWS. */
export type ProcessSigning = Pick<SigningConfig, 'credentials'> & {
  readonly stsEndpoint: string | undefined
}

/** Returns undefined if the process has no credentials, as the twin may have none. */
export function findProcessSigning(): ProcessSigning | undefined {
  const reader = makeEnvReader(process.env)
  const credentials = readCredentials(reader)
  const stsEndpoint = reader.variable('AWS_ENDPOINT_URL_STS') ?? reader.variable('AWS_ENDPOINT_URL')
  return reader.faults.length === 0 ? { credentials, stsEndpoint } : undefined
}

/** False if a bench or test imports a handler outside Lambda. */
export function isInLambda(): boolean {
  return process.env['AWS_LAMBDA_RUNTIME_API'] !== undefined
}

const READERS: { readonly [N in ConfigName]: (from: EnvReader) => Config[N] } = {
  settings: readSettings,
  tables: (from) => ({
    gateway: from.variable('GATEWAY_TABLE'),
    sessions: from.variable('SESSIONS_TABLE'),
  }),
  replyTail: readReplyTail,
  ledgerHot: (from) => ({ ms: from.setting('ledgerHotDays') * DAY_MS }),
  archive: (from) => ({
    bucket: from.variable('ARCHIVE_BUCKET'),
    ...readSigning(from),
    endpoint: from.variable('AWS_ENDPOINT_URL_S3') ?? from.variable('AWS_ENDPOINT_URL'),
  }),
  messagesUrl: (from) => readUrl(from, 'MESSAGES_URL'),
  executeUrl: (from) => readUrl(from, 'EXECUTE_IAM_URL'),
  signing: readSigning,
  lambda: (from) => ({ ...readSigning(from), ...readLambdaHosts(from) }),
  storeClient: readStoreClient,
  eventTargets: readEventTargets,
  mailEndpoint: readMailEndpoint,
  secretsKey: (from) => ({ keyId: from.variable('SECRETS_KEY_ID') }),
  credentials: readCredentials,
  callerRoles: (from) => ({
    admin: from.variable('ADMIN_ROLE'),
    sweep: from.variable('SWEEP_ROLE'),
  }),
  adminSecretIds: (from) => ({
    internalApiSecret: from.variable('INTERNAL_SECRET_ID'),
    adminKey: from.variable('ADMIN_SECRET_ID'),
  }),
  caller: (from) => readCallerFunction(from, readSigning(from)),
  privateNetwork: (from) => ({
    hosts: from.setting('privateHosts'),
    runtimeApi: from.variable('AWS_LAMBDA_RUNTIME_API'),
  }),
  syntheticCall: readSyntheticCall,
  telemetry: (from) => ({
    stage: from.variable('SKILLGATE_STAGE'),
    callLogSampling: from.setting('callLogSampling'),
  }),
  edge: readEdge,
}

const PLACEHOLDER_URL = 'https://stand-in.invalid/'

function readUrl(from: EnvReader, name: 'MESSAGES_URL' | 'EXECUTE_IAM_URL'): URL {
  return URL.parse(from.variable(name)) ?? new URL(PLACEHOLDER_URL)
}

/** Region and credentials that Lambda gives a function, for signed requests. */
function readSigning(from: EnvReader): SigningConfig {
  return { region: from.variable('AWS_REGION'), credentials: readCredentials(from) }
}

function readCredentials(from: EnvReader): SigningConfig['credentials'] {
  return {
    accessKeyId: from.variable('AWS_ACCESS_KEY_ID'),
    secretAccessKey: from.variable('AWS_SECRET_ACCESS_KEY'),
    sessionToken: from.variable('AWS_SESSION_TOKEN'),
  }
}

function readReplyTail(from: EnvReader): ReplyTailConfig {
  const kind = from.setting('replyTail')
  return kind === 'partition' ? { kind } : { kind, streamArn: from.variable('SESSIONS_STREAM_ARN') }
}

function readEventTargets(from: EnvReader): EventTargetsConfig {
  const targets = from.setting('eventTargets').flatMap((text) => parseEventTarget(text) ?? [])
  const has = (kind: string) => targets.some((target) => target.kind === kind)
  return {
    targets,
    secretId: has('webhook') ? from.variable('EVENTS_SECRET_ID') : undefined,
    from: has('email') ? from.setting('eventsFrom') : undefined,
    signing: has('bus') || has('email') ? readSigning(from) : undefined,
    mailEndpoint: readMailEndpoint(from),
  }
}

function readMailEndpoint(from: EnvReader): URL | undefined {
  const endpoint = from.variable('AWS_ENDPOINT_URL_SESV2') ?? from.variable('AWS_ENDPOINT_URL')
  return endpoint === undefined ? undefined : (URL.parse(endpoint) ?? undefined)
}

function readEdge(from: EnvReader): EdgeConfig | undefined {
  const secretId = from.variable('EDGE_SECRET_ID')
  if (secretId === undefined) return undefined
  const servesDirect = from.variable('EDGE_DIRECT_URLS')
  return { ...readSigning(from), secretId, servesDirect, endpoint: readSecretsEndpoint(from) }
}

function readSyntheticCall(from: EnvReader): SyntheticCallConfig | undefined {
  const secretId = from.variable('CANARY_SECRET_ID')
  if (secretId === undefined) return undefined
  return { secretId, mcpUrl: from.variable('MCP_URL') ?? PLACEHOLDER_URL }
}

function readSettings(from: EnvReader): Settings {
  const keys = Object.keys(SETTINGS) as readonly (keyof typeof SETTINGS)[]
  const values = Object.fromEntries(keys.map((key) => [key, from.setting(key)]))
  const lowBalance = toMicroCredits(from.setting('lowBalance'))
  const adminUrl = from.variable('ADMIN_URL')
  return {
    version: VERSION,
    // A cast, as in parsers: `Object.fromEntries` cannot give each name its own type.
    ...convertSettings(values as SettingValues),
    ...(from.variable('EVENTS') ? { events: { lowBalance } } : {}),
    executeUrl: from.variable('EXECUTE_URL'),
    mcpUrl: from.variable('MCP_URL'),
    sseUrl: from.variable('SSE_URL'),
    ...(adminUrl === undefined ? {} : { adminUrl }),
  }
}

/** Freezes a configuration deeply, in place. A URL is not frozen. */
function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof URL) return value
  for (const one of Object.values(value)) freezeDeep(one)
  return Object.freeze(value)
}
