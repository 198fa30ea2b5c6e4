/**
 * Every setting of an operator: its type, range, default and one sentence. The stages, the
 * functions, the twin and docs/settings.md read this table, so each setting is defined once. The
 * table is plain data; read-setting.ts checks values.
 */

import { EVENT_TARGETS_MAX } from './event-target.ts'
import {
  ACCOUNT,
  ANY_TEXT,
  AUTH_EXTENSION,
  BUCKET,
  CIDR,
  CREDIT_PRICE,
  DOMAIN,
  EDGE_CERTIFICATE_ARN,
  ENDPOINT,
  EVENT_TARGET,
  FUNCTION_ARN,
  FUNCTION_URL,
  GITHUB_REPOSITORY,
  HOST,
  HOSTED_ZONE_ID,
  KMS_KEY_ARN,
  LAMBDA_UPSTREAM,
  LISTEN_HOST,
  LOCAL_EVENT_TARGET,
  MAIL,
  ORIGIN,
  PAGER_MAIL,
  PREFIX,
  PUBLIC_ORIGIN,
  REDIRECT_HOST,
  REGION,
  SECRET_ID,
  SECURITY_GROUP_ID,
  SIGNED_ACCESS,
  STAGE,
  STREAM_ARN,
  SUBNET_ID,
  TABLE_NAME,
} from './form.ts'
import type { Settings } from './setting.ts'
import { CALLS_IN_FLIGHT_MAX, CALLS_PER_MINUTE_MAX } from './tier-limits.ts'

/** Most concurrency of one account and region. */
const CONCURRENCY_MAX = 100_000
/** Below 10, the share of anonymous streams would be 0, and POSTs would get no concurrency. */
const CONCURRENCY_MIN = 10
/** Entries of a list. A longer list is a mistake. */
const ENTRIES_MAX = 100
/** Entries of signedAccess: two policies of 10 kB have the roles, and 4 kB of variables the list. */
const SIGNED_ACCESS_MAX = 20
/** DynamoDB's default quota of one table, on demand or provisioned. */
const TABLE_UNITS_PER_SEC_MAX = 40_000
const WORDS_OF_AWS = { kind: 'choice', choices: ['true', 'false'], default: 'false' } as const

/**
 * Fields of a stage that its functions read from their variables; some are also options of the
 * twin.
 */
export const SETTINGS = {
  prefix: {
    kind: 'text',
    form: PREFIX,
    default: 'sg',
    env: 'SKILLGATE_PREFIX',
    twin: { flag: '--prefix NAME' },
    says: 'prefix of skill ids and tool names',
  },
  tierLimits: {
    kind: 'tiers',
    entriesMax: ENTRIES_MAX,
    default: [],
    env: 'TIER_LIMITS',
    says: 'calls a minute of each key of a tier, and calls in flight of one user, added to free:60 and pro:600; a tier without an entry has the limits of free',
  },
  holdsMax: {
    kind: 'whole',
    min: 1,
    max: CALLS_IN_FLIGHT_MAX,
    default: 32,
    env: 'HOLDS_MAX',
    says: 'calls in flight of one user, unless tierLimits says otherwise',
  },
  sseConcurrency: {
    kind: 'whole',
    min: CONCURRENCY_MIN,
    max: CONCURRENCY_MAX,
    default: 100,
    env: 'SSE_CONCURRENCY',
    says: 'executions that sse can count on, and mcp unless it reserves its own; 70 % of them may be open streams, listen streams of mcp among them',
  },
  streamsPerKeyMax: {
    kind: 'whole',
    min: 1,
    max: 1_000,
    default: 20,
    env: 'STREAMS_PER_KEY_MAX',
    says: 'open streams of one key',
  },
  anonymousStreams: {
    kind: 'switch',
    default: true,
    env: 'ANONYMOUS_STREAMS',
    says: 'sessions without a key, which may take 10 % of sseConcurrency',
  },
  announceToolChanges: {
    kind: 'switch',
    default: false,
    env: 'ANNOUNCE_TOOL_CHANGES',
    says: '/mcp announces tools.listChanged to clients of 2026-07-28, some of which then hold a listen stream open; without it clients read the list again after 60 s',
  },
  toolList: {
    kind: 'choice',
    choices: ['all', 'search'],
    default: 'all',
    env: 'TOOL_LIST',
    twin: { flag: '--tool-list KIND' },
    says: 'what tools/list has: all tools, or the search and a tool that calls what it found; a user may have the other list',
  },
  priceInDescription: {
    kind: 'switch',
    default: true,
    env: 'PRICE_IN_DESCRIPTION',
    says: 'descriptions in tool lists end with the price of a call, which models do not read elsewhere',
  },
  callExcerpts: {
    kind: 'switch',
    default: true,
    env: 'CALL_EXCERPTS',
    says: 'masked excerpts of what upstreams answer to failed calls are kept for a week, for administrators',
  },
  ledgerHotDays: {
    kind: 'whole',
    // Time to mend an archive that failed: the news of a call comes again for a day.
    min: 7,
    max: 3_650,
    // Every read of older calls goes to the archive, which costs a fortieth.
    default: 14,
    env: 'LEDGER_HOT_DAYS',
    // A person who tries the archive has it at the folder's side, and waits for no alarm.
    twin: { flag: '--ledger-hot-days N', min: 1 },
    says: 'days for which the store keeps how calls ended; older ones are in the archive only, and a change holds for calls from then on',
  },
  callLogSampling: {
    kind: 'whole',
    min: 1,
    max: 1_000,
    default: 1,
    env: 'CALL_LOG_SAMPLING',
    says: 'one in so many successful calls has a log line, with its weight; failed, refused and slow calls always have one',
  },
  creditPrice: {
    kind: 'text',
    form: CREDIT_PRICE,
    default: undefined,
    env: 'CREDIT_PRICE',
    twin: { flag: '--credit-price PRICE' },
    says: 'what a credit costs, which only usage and statements show: amounts of money are computed exactly and rounded once, half to even',
  },
  lowBalance: {
    kind: 'credits',
    // As many as a user may have: CREDITS_MAX of core/ledger.
    max: 100_000_000,
    default: 0,
    env: 'LOW_BALANCE',
    twin: { flag: '--low-balance CREDITS' },
    says: 'credits at or below which a balance is low, for users without a threshold of their own',
  },
  allowedOrigins: {
    kind: 'list',
    form: ORIGIN,
    entriesMax: ENTRIES_MAX,
    default: [],
    env: 'ALLOWED_ORIGINS',
    says: "browser origins that may use the agent doors, besides the gateway's own; * for any",
  },
  login: {
    kind: 'switch',
    default: false,
    env: 'LOGIN',
    twin: { flag: '--login' },
    says: 'people with an API key or an invitation can log in with clients that send none; /mcp then asks callers without a credential to log in',
  },
  publicOrigin: {
    kind: 'text',
    form: PUBLIC_ORIGIN,
    default: undefined,
    env: 'PUBLIC_ORIGIN',
    twin: { flag: '--public-origin URL' },
    says: 'origin under which clients reach /mcp and its login, such as https://mcp.example.com; a stage with login or issuers needs it',
  },
  askForSecrets: {
    kind: 'switch',
    default: true,
    env: 'ASK_FOR_SECRETS',
    says: 'a call that lacks a secret or a login of its user gives a link to a page at publicOrigin, where the user sets it; without publicOrigin, or at a function URL, there are no links',
  },
  loginRedirects: {
    kind: 'list',
    form: REDIRECT_HOST,
    entriesMax: ENTRIES_MAX,
    default: [],
    env: 'LOGIN_REDIRECTS',
    twin: { flag: '--login-redirect HOST,…' },
    says: 'hosts of web clients that may be logged in with, besides programs on the own machine and the clients that Skillgate knows',
  },
  issuers: {
    kind: 'issuers',
    default: [],
    env: 'ISSUERS',
    twin: { flag: '--issuers FILE' },
    says: 'authorization servers whose tokens name users at /mcp, /sse and /v1/execute',
  },
  authExtensions: {
    kind: 'list',
    form: AUTH_EXTENSION,
    entriesMax: 2,
    default: [],
    env: 'AUTH_EXTENSIONS',
    twin: { flag: '--auth-extensions NAME,…' },
    says: 'authorization extensions of MCP that the issuers serve, and that server/discover then announces',
  },
  anonymousList: {
    kind: 'switch',
    default: false,
    env: 'ANONYMOUS_LIST',
    says: 'with login or issuers, callers without a credential may still list tools at /mcp, and are asked to log in at their first call',
  },
  loginTokenHours: {
    kind: 'whole',
    min: 1,
    max: 24,
    default: 1,
    env: 'LOGIN_TOKEN_HOURS',
    says: 'hours for which an access token of a login is valid; some clients refresh late or not at all, and a token ends with its key or login in any case',
  },
  restoresChallenge: {
    kind: 'switch',
    default: false,
    env: 'RESTORES_CHALLENGE',
    says: 'what stands before function URLs gives the header WWW-Authenticate back its name, so a call without its scope is refused by 403; without it, the answer says so in words',
  },
  outboundAllow: {
    kind: 'list',
    form: HOST,
    entriesMax: ENTRIES_MAX,
    default: [],
    env: 'OUTBOUND_ALLOW',
    twin: { flag: '--outbound-allow HOST[:PORT],…' },
    says: 'hosts that skills may reach by http and at private addresses',
  },
  privateHosts: {
    kind: 'list',
    form: HOST,
    entriesMax: ENTRIES_MAX,
    default: [],
    env: 'PRIVATE_HOSTS',
    says: 'hosts in a network of your own that skills may reach, by http too, through the function caller; needs vpcSubnetIds and vpcSecurityGroupIds',
  },
  signedAccess: {
    kind: 'list',
    form: SIGNED_ACCESS,
    entriesMax: SIGNED_ACCESS_MAX,
    default: [],
    env: 'SIGNED_ACCESS',
    twin: { flag: '--signed-access ROLE|HOST,…' },
    says: "what skills may sign with for AWS: ARNs of roles that they may assume, and hosts for which the gateway's own role signs",
  },
  lambdaUpstreams: {
    kind: 'list',
    form: LAMBDA_UPSTREAM,
    entriesMax: ENTRIES_MAX,
    default: [],
    env: 'LAMBDA_UPSTREAMS',
    says: 'Lambda functions that skills may invoke, which mcp, messages and execute get the right to; with any, admin may also find functions by their tags',
  },
  eventTargets: {
    kind: 'list',
    form: EVENT_TARGET,
    entriesMax: EVENT_TARGETS_MAX,
    default: [],
    env: 'EVENTS_TARGETS',
    twin: { flag: '--events TARGET,…', form: LOCAL_EVENT_TARGET },
    says: 'who is told of low balances, reached budgets and tools that fail: webhooks, EventBridge buses (bus:NAME), mail addresses (email:ADDRESS) and Slack channels (slack:SECRET)',
  },
  eventsFrom: {
    kind: 'text',
    form: PAGER_MAIL,
    default: undefined,
    env: 'EVENTS_FROM',
    twin: { flag: '--events-from ADDRESS' },
    says: 'sender of mails about events: an address that SES has verified, or of a domain that it has; needed with email:ADDRESS',
  },
  storeClient: {
    kind: 'choice',
    choices: ['light', 'sdk'],
    default: 'light',
    env: 'STORE_CLIENT',
    says: "client of DynamoDB in sse, messages, mcp, execute and sweep: light takes a quarter of the CPU, sdk is the AWS SDK's, which admin and usage always have",
  },
  replyTail: {
    kind: 'choice',
    choices: ['dynamodb-streams', 'partition'],
    default: 'partition',
    env: 'REPLY_TAIL',
    says: 'how streams find replies in DynamoDB; dynamodb-streams serves two open streams, and those beyond them read the partition',
  },
} as const satisfies Settings

/** Fields of a stage that only the deployment uses. */
export const STAGE_SETTINGS = {
  account: {
    kind: 'text',
    form: ACCOUNT,
    default: undefined,
    says: 'AWS account of the stage; a deploy with credentials of another account is refused',
  },
  region: {
    kind: 'text',
    form: REGION,
    default: undefined,
    says: 'AWS region of the stage; without it, the region of your credentials or AWS_REGION',
  },
  archiveDays: {
    kind: 'whole',
    min: 30,
    max: 36_500,
    default: undefined,
    says: 'days for which the archive keeps calls and grants, at least as many as ledgerHotDays; without it for ever, as the trail of changes in any case',
  },
  reservedConcurrency: {
    kind: 'counts',
    // The functions of lib/doors.ts; a test compares them.
    namesAllowed: ['sse', 'messages', 'mcp', 'execute', 'admin', 'sweep', 'usage', 'caller'],
    min: 1,
    max: CONCURRENCY_MAX,
    default: undefined,
    says: 'executions reserved for a function, which it then never exceeds; a fresh account refuses any, and preflight says what fits',
  },
  accountConcurrency: {
    kind: 'whole',
    min: CONCURRENCY_MIN,
    max: CONCURRENCY_MAX,
    default: 10,
    says: 'quota of executions of the account and region, as preflight shows it; alarms compare usage with it',
  },
  vpcSubnetIds: {
    kind: 'list',
    form: SUBNET_ID,
    // Lambda's own limit of subnets of one function.
    entriesMax: 16,
    default: [],
    says: 'subnets of the function caller, which reaches privateHosts from there; two in different zones outlive the loss of one',
  },
  vpcSecurityGroupIds: {
    kind: 'list',
    form: SECURITY_GROUP_ID,
    // Lambda's own limit of security groups of one function.
    entriesMax: 5,
    default: [],
    says: 'security groups of the function caller; let them send to privateHosts alone',
  },
  callMemoryMb: {
    kind: 'whole',
    // The least in which no answer ends a function that waits; lib/door-sizes.ts gives it to them.
    min: 224,
    // Lambda's own limit; a new account may have 3,008.
    max: 10_240,
    default: 224,
    says: 'memory of each of messages, mcp, execute and caller; more gives each call more CPU, and costs as much more while it waits',
  },
  tableUnitsPerSec: {
    kind: 'counts',
    names: ['write', 'read'],
    min: 1,
    max: TABLE_UNITS_PER_SEC_MAX,
    default: undefined,
    says: 'most write and read units that each table takes in a second; past them agents get 503 with a time to retry',
  },
  capacity: {
    kind: 'choice',
    choices: ['on-demand', 'provisioned'],
    default: 'on-demand',
    says: 'how the Gateway table is paid: by the request, or by the hour for a capacity that follows the load',
  },
  provisionedUnitsMin: {
    kind: 'counts',
    names: ['write', 'read'],
    min: 1,
    max: TABLE_UNITS_PER_SEC_MAX,
    // One paid call a second, and 1,500 units saved up for more.
    default: { write: 5, read: 5 },
    says: 'least capacity of a provisioned Gateway table, with which it also starts',
  },
  canaryMinutes: {
    kind: 'whole',
    min: 0,
    // A deploy holds credentials and a terminal for so long.
    max: 120,
    default: 0,
    says: 'minutes for which skillgate deploy sends a tenth of the requests to new versions and watches the alarms, before it moves all; 0 moves all at once',
  },
  replicaRegion: {
    kind: 'text',
    form: REGION,
    default: undefined,
    says: "second region, which gets a replica of the key of users' secrets ($1 a month), so that a stage there can open them",
  },
  backupRegion: {
    kind: 'text',
    form: REGION,
    default: undefined,
    says: 'second region, which gets a copy of a daily backup of the Gateway table; needs the same replicaRegion',
  },
  secretsKeyArn: {
    kind: 'text',
    form: KMS_KEY_ARN,
    default: undefined,
    says: "key of users' secrets in place of one of the stage's own: the replica of another region's key",
  },
  syntheticCalls: {
    kind: 'switch',
    default: false,
    says: 'the function usage calls a tool as the canary user every five minutes, and an alarm rings if the calls fail',
  },
  retainData: {
    kind: 'switch',
    default: false,
    says: 'tables, archive, key and secrets outlive the data stack, and cost on; without it destroy deletes them',
  },
  deletionProtection: {
    kind: 'switch',
    default: false,
    says: 'the tables refuse to be deleted, even by hand',
  },
  terminationProtection: {
    kind: 'switch',
    default: false,
    says: 'the data stack refuses to be deleted',
  },
  logRetentionDays: {
    kind: 'choice',
    // The values that CloudWatch Logs accepts.
    choices: [
      1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922,
      3288, 3653,
    ],
    default: 14,
    says: 'days for which logs are kept',
  },
  keepLogs: {
    kind: 'switch',
    default: false,
    says: 'logs outlive the stack until their retention ends',
  },
  // API Gateway's own limits of an account and region.
  adminRequestsPerSec: {
    kind: 'whole',
    min: 1,
    max: 10_000,
    default: 10,
    says: 'limit of all DELETEs (revocations) together, and of all other admin requests together',
  },
  adminRequestsBurst: {
    kind: 'whole',
    min: 1,
    max: 5_000,
    default: 20,
    says: 'how many of those requests may come at once',
  },
  adminAllowedCidrs: {
    kind: 'list',
    form: CIDR,
    // API Gateway takes a resource policy of 8 kB; so many of the longest blocks fit.
    entriesMax: 64,
    default: [],
    says: 'address blocks that may reach the admin API, or none for all; API Gateway refuses others with 403',
  },
  githubRepository: {
    kind: 'text',
    form: GITHUB_REPOSITORY,
    default: undefined,
    says: 'repository on GitHub whose workflow deploys the stage, in its environment of the name of the stage; makes the roles for it',
  },
  apiLogRole: {
    kind: 'choice',
    choices: ['create', 'keep'],
    default: 'create',
    says: 'keep leaves the role with which API Gateway logs in this account and region; preflight says whether there is one',
  },
  edgeDomain: {
    kind: 'text',
    form: DOMAIN,
    default: undefined,
    says: 'host name under which a CloudFront distribution serves all doors, such as mcp.example.com; it becomes publicOrigin (docs/edge.md)',
  },
  edgeHostedZoneId: {
    kind: 'text',
    form: HOSTED_ZONE_ID,
    default: undefined,
    says: 'Route 53 zone of edgeDomain in this account, in which the deploy validates a certificate and points the name at the distribution',
  },
  edgeCertificateArn: {
    kind: 'text',
    form: EDGE_CERTIFICATE_ARN,
    default: undefined,
    says: 'certificate for edgeDomain whose DNS is elsewhere, in place of edgeHostedZoneId',
  },
  edgeDirectUrls: {
    kind: 'switch',
    default: false,
    says: 'with edgeDomain, requests that come past the distribution are still served, while agents move to the new name',
  },
  edgeFirewall: {
    kind: 'choice',
    choices: ['off', 'count', 'block'],
    default: 'count',
    says: 'what the web ACL before edgeDomain does with a request that one of its rules matches; off has no web ACL',
  },
  edgeRequestsPerIp: {
    kind: 'whole',
    // The least that AWS WAF takes. It takes more than the most, where a rule of an address is none.
    min: 10,
    max: 1_000_000,
    default: 2_000,
    says: 'requests of one address in five minutes past which the rate rule of the web ACL matches; hosted agents share few addresses',
  },
  alarmEmail: {
    kind: 'text',
    form: MAIL,
    default: undefined,
    says: 'address that gets a mail to confirm, and then one for each composite alarm; a stage for users needs one, or none for alarms that are watched in another way',
  },
  pageEmail: {
    kind: 'text',
    form: PAGER_MAIL,
    default: undefined,
    says: 'address of whoever is on call, or of their pager: gets a mail to confirm, and then one for each of the two composite alarms that page',
  },
  monthlyBudgetUsd: {
    kind: 'whole',
    min: 1,
    max: 1_000_000,
    default: undefined,
    says: 'budget of the whole account: AWS Budgets mails alarmEmail at 80 % and 100 % of it, and when the forecast passes it',
  },
} as const satisfies Settings

/** Variables that a stack sets for its functions, or that Lambda sets. */
export const FUNCTION_SETTINGS = {
  EVENTS: {
    kind: 'switch',
    default: false,
    says: 'low balances, reached budgets and tools that fail are recorded as events',
  },
  EVENTS_SECRET_ID: {
    kind: 'text',
    form: SECRET_ID,
    says: 'sweep door: the secret that signs events; needed with a webhook',
  },
  CANARY_SECRET_ID: {
    kind: 'text',
    form: SECRET_ID,
    default: undefined,
    says: 'usage door: the secret with the key of the canary user; set with syntheticCalls',
  },
  EXECUTE_URL: {
    kind: 'text',
    form: ANY_TEXT,
    default: undefined,
    says: 'public URL of POST /v1/execute, shown in texts',
  },
  MCP_URL: {
    kind: 'text',
    form: ANY_TEXT,
    default: undefined,
    says: 'public URL of POST /mcp, shown in texts',
  },
  SSE_URL: {
    kind: 'text',
    form: ANY_TEXT,
    default: undefined,
    says: 'public URL of MCP over HTTP+SSE, shown in texts',
  },
  GATEWAY_TABLE: { kind: 'text', form: TABLE_NAME, says: 'the Gateway table' },
  SESSIONS_TABLE: { kind: 'text', form: TABLE_NAME, says: 'the Sessions table' },
  SESSIONS_STREAM_ARN: {
    kind: 'text',
    form: STREAM_ARN,
    says: 'sse door: stream of the Sessions table; needed with dynamodb-streams',
  },
  ARCHIVE_BUCKET: { kind: 'text', form: BUCKET, says: 'usage door: the bucket of the archive' },
  MESSAGES_URL: {
    kind: 'text',
    form: FUNCTION_URL,
    says: 'sse door: function URL (AWS_IAM) of the messages door',
  },
  EXECUTE_IAM_URL: {
    kind: 'text',
    form: FUNCTION_URL,
    says: 'sse, admin and sweep doors: function URL (AWS_IAM) of the execute door',
  },
  ADMIN_ROLE: {
    kind: 'text',
    form: ANY_TEXT,
    default: undefined,
    says: 'execute door: name of the role of the admin function, the only one that gets dry runs',
  },
  SWEEP_ROLE: {
    kind: 'text',
    form: ANY_TEXT,
    default: undefined,
    says: 'execute door: name of the role of the sweep, which only has jobs looked after',
  },
  CALLER_FUNCTION: {
    kind: 'text',
    form: FUNCTION_ARN,
    default: undefined,
    says: 'execute, mcp and messages doors: ARN of the function caller; needed with privateHosts',
  },
  SECRETS_KEY_ID: {
    kind: 'text',
    form: KMS_KEY_ARN,
    says: "execute, mcp, messages and admin doors: the key that users' secrets are sealed under",
  },
  INTERNAL_SECRET_ID: {
    kind: 'text',
    form: SECRET_ID,
    says: 'admin door: the internal API secret',
  },
  ADMIN_SECRET_ID: { kind: 'text', form: SECRET_ID, says: 'admin door: the admin key' },
  ADMIN_URL: {
    kind: 'text',
    form: ANY_TEXT,
    default: undefined,
    says: 'admin door: public URL of the admin API behind an edge, which names it in place of its own domain; mcp door with login: the URL of the admin API, beside which the console is',
  },
  EDGE_SECRET_ID: {
    kind: 'text',
    form: SECRET_ID,
    default: undefined,
    says: 'sse, mcp, execute and admin doors: the secret whose values prove that a request came through the edge',
  },
  EDGE_DIRECT_URLS: {
    kind: 'switch',
    default: false,
    says: 'the same doors: requests without such a value are served, too',
  },
  SKILLGATE_STAGE: {
    kind: 'text',
    form: STAGE,
    default: 'local',
    says: 'the stage, as log lines and metrics name it',
  },
  AWS_LAMBDA_RUNTIME_API: {
    kind: 'text',
    form: ANY_TEXT,
    default: undefined,
    says: 'set by Lambda: where a function gets its events, which no private host may be',
  },
  AWS_REGION: { kind: 'text', form: REGION, says: 'set by Lambda' },
  AWS_ACCESS_KEY_ID: { kind: 'secret', says: 'set by Lambda' },
  AWS_SECRET_ACCESS_KEY: { kind: 'secret', says: 'set by Lambda' },
  AWS_SESSION_TOKEN: { kind: 'secret', default: undefined, says: 'set by Lambda' },
  AWS_ENDPOINT_URL: {
    kind: 'text',
    form: ENDPOINT,
    default: undefined,
    says: 'another place for every service of AWS, such as an emulator',
  },
  AWS_ENDPOINT_URL_DYNAMODB: {
    kind: 'text',
    form: ENDPOINT,
    default: undefined,
    says: 'another place for DynamoDB; it precedes AWS_ENDPOINT_URL, as the next two do',
  },
  AWS_ENDPOINT_URL_LAMBDA: {
    kind: 'text',
    form: ENDPOINT,
    default: undefined,
    says: 'another place for Lambda: the functions that skills invoke, and the caller; the twin reads it, too',
  },
  AWS_ENDPOINT_URL_S3: {
    kind: 'text',
    form: ANY_TEXT,
    default: undefined,
    says: 'another place for the archive',
  },
  AWS_ENDPOINT_URL_SECRETS_MANAGER: {
    kind: 'text',
    form: ENDPOINT,
    default: undefined,
    says: 'another place for Secrets Manager',
  },
  AWS_ENDPOINT_URL_SESV2: {
    kind: 'text',
    form: ENDPOINT,
    default: undefined,
    says: 'another place for SES, which sends mails about events; the twin reads it, too',
  },
  AWS_ENDPOINT_URL_STS: {
    kind: 'text',
    form: ENDPOINT,
    default: undefined,
    says: 'another place for STS, which gives sessions of the roles of skills',
  },
  AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: {
    ...WORDS_OF_AWS,
    says: 'the endpoints of DynamoDB and Lambda above are not read',
  },
  AWS_USE_FIPS_ENDPOINT: { ...WORDS_OF_AWS, says: 'FIPS endpoints of DynamoDB, KMS and Lambda' },
  AWS_USE_DUALSTACK_ENDPOINT: {
    ...WORDS_OF_AWS,
    says: 'dual-stack endpoints of DynamoDB, KMS and Lambda',
  },
  AWS_ACCOUNT_ID_ENDPOINT_MODE: {
    kind: 'choice',
    choices: ['preferred', 'disabled'],
    default: 'preferred',
    says: 'the endpoint of DynamoDB is the one without an account id either way',
  },
} as const satisfies Settings

/** Options that only the twin has. */
export const TWIN_SETTINGS = {
  port: {
    kind: 'whole',
    min: 0,
    max: 65_535,
    default: 8787,
    twin: { flag: '--port N' },
    says: 'port to listen on; 0 takes a free one',
  },
  host: {
    kind: 'text',
    form: LISTEN_HOST,
    default: '127.0.0.1',
    twin: { flag: '--host HOST' },
    says: 'address to listen on',
  },
  data: {
    kind: 'text',
    form: ANY_TEXT,
    default: '.local',
    twin: { flag: '--data FOLDER' },
    says: 'where users, skills, credits and keys are kept',
  },
  memory: {
    kind: 'switch',
    default: false,
    twin: { flag: '--memory' },
    says: 'keep nothing on disk; --data is ignored',
  },
  callsPerMinute: {
    kind: 'whole',
    min: 1,
    max: CALLS_PER_MINUTE_MAX,
    default: 60,
    twin: { flag: '--calls-per-minute N' },
    says: 'calls a free-tier user may make in a minute',
  },
  holdLastChunk: {
    kind: 'switch',
    default: false,
    twin: { flag: '--hold-last-chunk' },
    says: 'imitate AWS: hold a small chunk of a stream until the next write',
  },
  noProfile: {
    kind: 'switch',
    default: false,
    twin: { flag: '--no-profile' },
    says: 'leave the profile local of the command line as it is; --json does so too',
  },
  json: {
    kind: 'switch',
    default: false,
    twin: { flag: '--json' },
    says: 'when ready print one line of JSON on stdout, for scripts (npm --silent start -- --json); logs go to stderr, each line JSON',
  },
} as const satisfies Settings
