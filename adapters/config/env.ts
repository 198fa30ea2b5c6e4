/**
 * Environment variables become one typed, frozen configuration. Every missing or wrong variable is
 * named at once, and a secret is named without its value. No other deployed file reads process.env.
 *
 * | variable | default | part |
 * |---|---|---|
 * | SKILLGATE_PREFIX | sg | settings: prefix of skill ids and tool names |
 * | TIER_LIMITS | free:60,pro:600 | settings: TIER:CALLS_PER_MINUTE[:HOLDS_MAX],… per key of that tier |
 * | HOLDS_MAX | 32 | settings: calls of one user in flight, where TIER_LIMITS says no other |
 * | SSE_CONCURRENCY | 100 | settings: concurrency of the sse function; 70 % may be open streams |
 * | STREAMS_PER_KEY_MAX | 20 | settings: open streams of one key |
 * | ANONYMOUS_STREAMS | on | settings: off, or 10 % of SSE_CONCURRENCY |
 * | ANNOUNCE_TOOL_CHANGES | off | settings: on, and /mcp announces tools.listChanged to clients of 2026-07-28 |
 * | CALL_EXCERPTS | on | settings: off, and no excerpt of an upstream's answer to a failed call is kept |
 * | LEDGER_HOT_DAYS | 90 | settings, ledgerHot: days for which the table keeps how calls ended |
 * | EVENTS | off | settings: on, and low balances and reached budgets are recorded as events |
 * | LOW_BALANCE | 0 | settings: credits at or below which a balance is low, where a user has no threshold |
 * | EVENTS_TARGET | none | eventTarget: https URL of a webhook, or bus:NAME of an EventBridge bus |
 * | EVENTS_SECRET_ID | – | eventTarget: name or ARN in Secrets Manager; needed with a webhook |
 * | ALLOWED_ORIGINS | none | settings: browser origins, comma-separated; * for any |
 * | OUTBOUND_ALLOW | none | settings: HOST[:PORT],… for which http and private addresses are allowed |
 * | EXECUTE_URL | none | settings: public URL of POST /v1/execute, for texts |
 * | MCP_URL | none | settings: public URL of POST /mcp, for texts |
 * | GATEWAY_TABLE, SESSIONS_TABLE | – | tables |
 * | ARCHIVE_BUCKET | – | archive: S3 bucket for what the table does not keep |
 * | AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL | none | archive: an emulator in place of AWS |
 * | REPLY_TAIL | partition | replyTail: how streams find replies; or dynamodb-streams |
 * | SESSIONS_STREAM_ARN | – | replyTail: stream of SESSIONS_TABLE; needed with dynamodb-streams |
 * | MESSAGES_URL | – | messagesUrl: function URL (AWS_IAM) of the messages door |
 * | EXECUTE_IAM_URL | – | executeUrl: function URL (AWS_IAM) of the execute door |
 * | AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN | set by Lambda | signing |
 * | STORE_CLIENT | light | storeClient: light, or sdk for the AWS SDK's, which reads the variables below by itself |
 * | AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL | none | storeClient: another store in place of AWS |
 * | AWS_IGNORE_CONFIGURED_ENDPOINT_URLS | false | storeClient: true, and its endpoints above are not read |
 * | AWS_USE_FIPS_ENDPOINT, AWS_USE_DUALSTACK_ENDPOINT | false | storeClient |
 * | AWS_ACCOUNT_ID_ENDPOINT_MODE | preferred | storeClient: required is refused |
 * | ADMIN_ROLE | none | adminRole: name of the role that may ask execute for dry runs |
 * | SECRETS_KEY_ID | – | secretsKey: ARN of the KMS key that users' secrets are sealed under |
 * | INTERNAL_SECRET_ID, ADMIN_SECRET_ID | – | adminSecretIds: names or ARNs in Secrets Manager |
 * | SKILLGATE_STAGE | local | telemetry: in every log line and metric |
 *
 * The AWS SDK itself reads AWS_ENDPOINT_URL and its variants. The environment holds no secret of
 * ours.
 */
import { err, ok, type Result } from '../../core/errors.ts'
import { DAY_MS } from '../../core/json/utc-time.ts'
import {
  LEDGER_HOT_DAYS_DEFAULT,
  LEDGER_HOT_DAYS_MAX,
  LEDGER_HOT_DAYS_MIN,
} from '../../core/ledger/limits.ts'
import type { Settings } from '../../core/settings.ts'
import type { Config, ConfigName, ReplyTailConfig } from './config.ts'
import { type Environment, type EnvReader, envReader } from './env-reader.ts'
import {
  A_KMS_KEY,
  A_REGION,
  A_SECRET,
  BUCKET,
  isHostAndPort,
  isOrigin,
  KMS_KEY_ARN,
  PREFIX,
  REGION,
  SECRET_ID,
  STAGE,
  STAGE_RULE,
  STREAM_ARN,
  TABLE_NAME,
} from './forms.ts'
import { frozen } from './frozen.ts'
import { readEvents, readEventTarget } from './read-events.ts'
import { readCredentials, readSigning } from './signing.ts'
import { readStoreClient } from './store-client.ts'
import { HOLDS_MAX_MAX, isTierLimit, TIER_LIMITS_RULE, tiersOf } from './tier-limits.ts'
import { VERSION } from './version.ts'

/** The error has one line for each variable that is missing or wrong. */
export function readConfig<N extends ConfigName>(
  env: Environment,
  needs: readonly N[],
): Result<Readonly<Pick<Config, N>>, readonly string[]> {
  const reader = envReader(env)
  const entries = needs.map((need) => [need, frozen(READERS[need](reader))] as const)
  // Two parts may read one variable.
  if (reader.faults.length > 0) return err([...new Set(reader.faults)])
  // A cast, as in parsers: READERS gives each name its own type, which `Object.entries` cannot
  // express.
  return ok(Object.freeze(Object.fromEntries(entries)) as Pick<Config, N>)
}

/** For a door's start: throws one error that lists every fault. */
export function configOfProcess<N extends ConfigName>(
  needs: readonly N[],
): Readonly<Pick<Config, N>> {
  const config = readConfig(process.env, needs)
  if (config.ok) return config.value
  throw new Error(`The environment does not fit:\n  ${config.error.join('\n  ')}`)
}

/** False where a bench or a test imports what is deployed: nobody asks it for an invocation. */
export function runsInLambda(): boolean {
  return process.env['AWS_LAMBDA_RUNTIME_API'] !== undefined
}

const READERS: { readonly [N in ConfigName]: (from: EnvReader) => Config[N] } = {
  settings: readSettings,
  tables: (from) => ({
    gateway: from.matching('GATEWAY_TABLE', TABLE_NAME, 'a table name'),
    sessions: from.matching('SESSIONS_TABLE', TABLE_NAME, 'a table name'),
  }),
  replyTail: readReplyTail,
  ledgerHot: (from) => ({ ms: readHotMs(from) }),
  archive: (from) => ({
    bucket: from.matching('ARCHIVE_BUCKET', BUCKET, 'the name of an S3 bucket'),
    region: from.matching('AWS_REGION', REGION, A_REGION),
    endpoint: from.optional('AWS_ENDPOINT_URL_S3') ?? from.optional('AWS_ENDPOINT_URL'),
    credentials: readCredentials(from),
  }),
  messagesUrl: (from) => from.internalUrl('MESSAGES_URL'),
  executeUrl: (from) => from.internalUrl('EXECUTE_IAM_URL'),
  signing: readSigning,
  storeClient: readStoreClient,
  eventTarget: readEventTarget,
  secretsKey: (from) => ({ keyId: from.matching('SECRETS_KEY_ID', KMS_KEY_ARN, A_KMS_KEY) }),
  credentials: readCredentials,
  adminRole: (from) => from.optional('ADMIN_ROLE'),
  adminSecretIds: (from) => ({
    internalApiSecret: from.matching('INTERNAL_SECRET_ID', SECRET_ID, A_SECRET),
    adminKey: from.matching('ADMIN_SECRET_ID', SECRET_ID, A_SECRET),
  }),
  telemetry: (from) => ({
    stage: from.matching('SKILLGATE_STAGE', STAGE, STAGE_RULE, 'local'),
  }),
}

/** Share of the sse function's concurrency that streams may take; the rest serves POSTs. */
const STREAMS_SHARE = 0.7
const ANONYMOUS_SHARE = 0.1

function readReplyTail(from: EnvReader): ReplyTailConfig {
  const kind = from.choice('REPLY_TAIL', ['partition', 'dynamodb-streams'], 'partition')
  if (kind === 'partition') return { kind }
  const rule = 'the ARN of the stream of SESSIONS_TABLE, which REPLY_TAIL=dynamodb-streams reads'
  return { kind, streamArn: from.matching('SESSIONS_STREAM_ARN', STREAM_ARN, rule) }
}

function readHotMs(from: EnvReader): number {
  const days = from.whole('LEDGER_HOT_DAYS', {
    min: LEDGER_HOT_DAYS_MIN,
    max: LEDGER_HOT_DAYS_MAX,
    otherwise: LEDGER_HOT_DAYS_DEFAULT,
  })
  return days * DAY_MS
}

function readSettings(from: EnvReader): Settings {
  const holdsMax = from.whole('HOLDS_MAX', { min: 1, max: HOLDS_MAX_MAX, otherwise: 32 })
  const concurrency = from.whole('SSE_CONCURRENCY', { min: 10, max: 100_000, otherwise: 100 })
  const anonymous = from.choice('ANONYMOUS_STREAMS', ['on', 'off'], 'on')
  return {
    version: VERSION,
    prefix: from.matching(
      'SKILLGATE_PREFIX',
      PREFIX,
      '1 to 16 characters of a-z and 0-9, a letter first',
      'sg',
    ),
    tiers: tiersOf(from.list('TIER_LIMITS', isTierLimit, TIER_LIMITS_RULE), holdsMax),
    streams: {
      perKeyMax: from.whole('STREAMS_PER_KEY_MAX', { min: 1, max: 1_000, otherwise: 20 }),
      totalMax: Math.floor(concurrency * STREAMS_SHARE),
      anonymousMax: anonymous === 'on' ? Math.floor(concurrency * ANONYMOUS_SHARE) : 0,
    },
    announceToolChanges: from.choice('ANNOUNCE_TOOL_CHANGES', ['on', 'off'], 'off') === 'on',
    callExcerpts: from.choice('CALL_EXCERPTS', ['on', 'off'], 'on') === 'on',
    ledgerHotMs: readHotMs(from),
    ...readEvents(from),
    allowedOrigins: from.list('ALLOWED_ORIGINS', isOrigin, 'an origin such as https://app.example'),
    outboundAllow: from.list('OUTBOUND_ALLOW', isHostAndPort, 'HOST or HOST:PORT'),
    executeUrl: from.optional('EXECUTE_URL'),
    mcpUrl: from.optional('MCP_URL'),
  }
}
