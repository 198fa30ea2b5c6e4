/** The stages fit, and a stage that does not is refused by names of fields, limits and remedies. */
import { describe, expect, test } from 'vitest'
import type { Stage } from '../../lib/stage.ts'
import { findStageErrors } from '../../lib/stage-rules.ts'
import { listStageWarnings } from '../../lib/stage-warnings.ts'
import { assertAccount, assertStage, getStage, toEnvironment } from '../../lib/stages.ts'

const DEV = getStage('dev')
const PROD = getStage('prod')

test.each(['dev', 'prod'])('the stage %s fits the limits', (name) => {
  expect(findStageErrors(getStage(name))).toEqual([])
})

test('an unknown stage is refused with the known ones, and the one that is probably meant', () => {
  expect(() => getStage('prodd')).toThrow(
    'stage: is "prodd"; give dev or prod (did you mean prod?)',
  )
  expect(() => getStage('staging')).toThrow(
    'stage: is "staging"; give dev or prod, or add it to skillgate.config.json',
  )
  expect(() => getStage(undefined)).toThrow('stage: is undefined; give dev or prod')
})

test('both stages tail replies by the partition, and pay their tables by the request', () => {
  expect([DEV.replyTail, PROD.replyTail]).toEqual(['partition', 'partition'])
  expect([DEV.capacity, PROD.capacity]).toEqual(['on-demand', 'on-demand'])
})

test('a stage is kept out of every other account than its own', () => {
  const stage = { ...PROD, account: '111111111111' }
  expect(() => assertAccount(stage, '222222222222')).toThrow(
    'account: stage prod is for 111111111111, and these credentials are of 222222222222; sign in to that account, or change account in skillgate.config.json',
  )
  assertAccount(stage, '111111111111')
  assertAccount(stage, undefined)
  assertAccount(PROD, '222222222222')
})

test('account and region of a stage replace those of the credentials', () => {
  const env = { CDK_DEFAULT_ACCOUNT: '222222222222', CDK_DEFAULT_REGION: 'us-east-1' }
  expect(toEnvironment({ account: '111111111111', region: 'eu-central-1' }, env)).toEqual({
    account: '111111111111',
    region: 'eu-central-1',
  })
  expect(toEnvironment(PROD, env)).toEqual({ account: '222222222222', region: 'us-east-1' })
  expect(toEnvironment(PROD, {})).toEqual({})
})

test('prod alone reserves concurrency and bounds its tables, since a fresh account refuses reservations', () => {
  expect(DEV.reservedConcurrency).toBe(undefined)
  expect(PROD.reservedConcurrency).toEqual({
    sse: 100,
    messages: 100,
    mcp: 340,
    execute: 170,
    admin: 20,
  })
  expect(DEV.tableUnitsPerSec).toBe(undefined)
  expect(PROD.tableUnitsPerSec).toEqual({ write: 4_000, read: 12_000 })
})

test('the stage dev has no more streams than a fresh account has executions', () => {
  expect(DEV.sseConcurrency).toBe(10)
})

describe('a stage for real users', () => {
  const prod = getStage('prod')

  test('warns of each safety net that is not set', () => {
    const bare = { ...prod, reservedConcurrency: undefined }
    expect(listStageWarnings(bare).map(({ text }) => text.split(':')[0])).toEqual([
      'reservedConcurrency',
      'alarmEmail',
      'monthlyBudgetUsd',
    ])
  })

  test('warns of an issuer whose tokens are for any service', () => {
    const open = { issuer: 'https://login.example', clientIds: ['client-1'] }
    const closed = { issuer: 'https://other.example', audiences: ['api://gateway'] }
    const idsOf = (issuers: Stage['issuers']) =>
      listStageWarnings({ ...prod, issuers }).map(({ id }) => id)
    expect(idsOf([closed, open])).toContain('skillgate:issuer-without-audience')
    expect(idsOf([closed])).not.toContain('skillgate:issuer-without-audience')
  })

  test('does not warn of missing mails if they are declined', () => {
    const ids = listStageWarnings({ ...prod, alarmEmail: 'none' }).map(({ id }) => id)
    expect(ids).toEqual([])
  })

  test('warns of nothing once all are set', () => {
    const set = {
      alarmEmail: 'ada@example.com',
      monthlyBudgetUsd: 100,
    }
    expect(listStageWarnings({ ...prod, ...set })).toEqual([])
  })

  test('warns of a login that takes invitations only, and of none at a domain', () => {
    const net = { ...prod, alarmEmail: 'ada@example.com', monthlyBudgetUsd: 100 }
    const textsAt = (publicOrigin: string, login = true) =>
      listStageWarnings({ ...net, login, publicOrigin }).map(({ text }) => text)
    const functionUrl = 'https://abc123.lambda-url.eu-central-1.on.aws'
    expect(textsAt(functionUrl)).toEqual([
      'publicOrigin: is a function URL, which nobody can recognise, so the login takes invitations and no keys; set it to a domain of your own (docs/login.md).',
    ])
    expect(textsAt(functionUrl, false)).toEqual([])
    expect(textsAt('https://mcp.example.com')).toEqual([])
  })

  test('a stage like prod warns as prod does, and no stage like dev or on an emulator', () => {
    const warningsOf = (stage: Stage) => listStageWarnings(stage).length
    expect(warningsOf({ ...prod, name: 'eu' })).toBe(2)
    expect(warningsOf(DEV)).toBe(0)
    expect(warningsOf({ ...prod, account: '000000000000' })).toBe(0)
  })
})

test('the data of prod are kept, and those of stages for tests on AWS are not', () => {
  expect([getStage('dev').retainData, getStage('prod').retainData]).toEqual([false, true])
})

test('tool changes are announced on AWS only when the stage asks for it, since each listening client holds a function', () => {
  expect([DEV.announceToolChanges, PROD.announceToolChanges]).toEqual([false, false])
})

type Limit = {
  readonly field: string
  readonly fits: Partial<Stage>
  readonly past: Partial<Stage>
  readonly says: string
}

const tier = (name: string, callsPerMinute: number, callsInFlight?: number): Partial<Stage> => ({
  tierLimits: [{ tier: name, callsPerMinute, ...(callsInFlight && { callsInFlight }) }],
})

const roles = (count: number) =>
  Array.from({ length: count }, (_, i) => `arn:aws:iam::111111111111:role/r${i}`)
const list = (count: number) => Array.from({ length: count }, (_, i) => `h${i}`)
const blocks = (count: number) => Array.from({ length: count }, (_, i) => `203.0.113.${i}/32`)
/** Each entry is 32 bytes with its comma. */
const longList = (count: number) =>
  Array.from({ length: count }, (_, i) => `${String(i).padStart(23, 'h')}.example`)

const withIssuer = (more: Partial<Stage['issuers'][number]>): Partial<Stage> => ({
  publicOrigin: 'https://mcp.example.com',
  issuers: [{ issuer: 'https://login.example', audiences: ['api://gateway'], ...more }],
})
const introspectionBy = (clientSecret: string) => ({
  url: 'https://login.example/introspect',
  clientId: 'gateway',
  clientSecret,
})

const AN_EVENT_TARGET =
  'an https URL, bus:NAME for an event bus (its name or ARN), email:ADDRESS, or slack:SECRET, each with the types of events it takes behind it unless it takes all'
const A_TIER_LIMIT =
  'TIER:CALLS_PER_MINUTE[:CALLS_IN_FLIGHT], such as pro:600 or team:3000:64 (1 to 1000000, 1 to 200)'
const A_LOW_BALANCE = 'credits from 0 to 100000000 with at most 6 decimals'

const LIMITS: readonly Limit[] = [
  {
    field: 'name',
    fits: { name: 'a-34567890123456' },
    past: { name: 'a-345678901234567' },
    says: 'name: is "a-345678901234567"; give 1 to 16 characters of a-z, 0-9 and -, a letter first',
  },
  {
    field: 'account',
    fits: { account: '123456789012' },
    past: { account: '1234567890123' },
    says: 'account: is "1234567890123"; give the 12 digits of an AWS account, as a text',
  },
  {
    field: 'region',
    fits: { region: 'ap-southeast-1' },
    past: { region: 'Frankfurt' },
    says: 'region: is "Frankfurt"; give a region such as eu-central-1',
  },
  {
    field: 'prefix',
    fits: { prefix: 'a234567890123456' },
    past: { prefix: 'a2345678901234567' },
    says: 'prefix: is "a2345678901234567"; give 1 to 16 characters of a-z and 0-9, a letter first, without the underscore',
  },
  {
    field: 'holdsMax',
    fits: { holdsMax: 200 },
    past: { holdsMax: 201 },
    says: 'holdsMax: is 201; give a whole number from 1 to 200',
  },
  {
    field: 'sseConcurrency, least',
    fits: { sseConcurrency: 10 },
    past: { sseConcurrency: 9 },
    says: 'sseConcurrency: is 9; give a whole number from 10 to 100000',
  },
  {
    field: 'sseConcurrency, most',
    fits: { sseConcurrency: 100_000 },
    past: { sseConcurrency: 100_001 },
    says: 'sseConcurrency: is 100001; give a whole number from 10 to 100000',
  },
  {
    field: 'sseConcurrency, whole',
    fits: { sseConcurrency: 11 },
    past: { sseConcurrency: 10.5 },
    says: 'sseConcurrency: is 10.5; give a whole number from 10 to 100000',
  },
  {
    field: 'streamsPerKeyMax',
    fits: { streamsPerKeyMax: 1_000 },
    past: { streamsPerKeyMax: 1_001 },
    says: 'streamsPerKeyMax: is 1001; give a whole number from 1 to 1000',
  },
  {
    field: 'tier',
    fits: tier('t'.repeat(64), 1),
    past: tier('with space', 1),
    says: `tierLimits: is "with space:1"; give ${A_TIER_LIMIT}`,
  },
  {
    field: 'callsPerMinute',
    fits: tier('team', 1_000_000),
    past: tier('team', 1_000_001),
    says: `tierLimits: is "team:1000001"; give ${A_TIER_LIMIT}`,
  },
  {
    field: 'callsInFlight',
    fits: tier('team', 1, 200),
    past: tier('team', 1, 201),
    says: `tierLimits: is "team:1:201"; give ${A_TIER_LIMIT}`,
  },
  {
    field: 'allowedOrigins',
    fits: { allowedOrigins: ['*', 'https://app.example'] },
    past: { allowedOrigins: ['https://app.example/'] },
    says: 'allowedOrigins: is "https://app.example/"; give an origin such as https://app.example',
  },
  {
    field: 'outboundAllow',
    fits: { outboundAllow: ['localhost', '10.0.0.7:8080', '[::1]:80'] },
    past: { outboundAllow: ['http://localhost'] },
    says: 'outboundAllow: is "http://localhost"; give HOST or HOST:PORT, such as localhost:3000',
  },
  {
    field: 'signedAccess',
    fits: {
      signedAccess: ['arn:aws:iam::111111111111:role/a/b', 'x1.lambda-url.us-east-1.on.aws'],
    },
    past: { signedAccess: ['arn:aws:iam::111111111111:role/*'] },
    says: 'signedAccess: is "arn:aws:iam::111111111111:role/*"; give the ARN of a role, arn:aws:iam::ACCOUNT:role/NAME, or a host of AWS without scheme and path',
  },
  {
    field: 'signedAccess, number',
    fits: { signedAccess: roles(20) },
    past: { signedAccess: roles(21) },
    says: 'signedAccess: has 21 entries; give at most 20',
  },
  {
    field: 'signedAccess, hosts',
    fits: { signedAccess: ['a1.execute-api.us-east-1.amazonaws.com'] },
    past: { signedAccess: ['dynamodb.us-east-1.amazonaws.com'] },
    says: "signedAccess: has dynamodb.us-east-1.amazonaws.com, where the gateway's own role may reach the gateway's own data; list a role that skills assume, or the host of an API (execute-api, lambda-url, appsync-api)",
  },
  {
    field: 'entries of a list',
    fits: { outboundAllow: list(100) },
    past: { outboundAllow: list(101) },
    says: 'outboundAllow: has 101 entries; give at most 100',
  },
  {
    field: 'bytes of the lists',
    fits: { outboundAllow: longList(64) },
    past: { outboundAllow: longList(65) },
    says: 'allowedOrigins, eventTargets, issuers, lambdaUpstreams, loginRedirects, outboundAllow, privateHosts, signedAccess, tierLimits: take 2079 bytes together; shorten them to 2048',
  },
  {
    field: 'bytes of the lists, quotes as Lambda counts them',
    fits: { ...withIssuer({ audiences: ['a'.repeat(35)] }), outboundAllow: longList(61) },
    past: { ...withIssuer({ audiences: ['a'.repeat(36)] }), outboundAllow: longList(61) },
    says: 'allowedOrigins, eventTargets, issuers, lambdaUpstreams, loginRedirects, outboundAllow, privateHosts, signedAccess, tierLimits: take 2049 bytes together; shorten them to 2048',
  },
  {
    field: 'publicOrigin, length',
    fits: { publicOrigin: `https://${'h'.repeat(245)}.example` },
    past: { publicOrigin: `https://${'h'.repeat(246)}.example` },
    says: `publicOrigin: is "https://${'h'.repeat(72)}"; give an https origin without a path, such as https://mcp.example.com, with a host of at most 253 characters`,
  },
  {
    field: 'eventsFrom, length',
    fits: { eventsFrom: `${'m'.repeat(242)}@example.com` },
    past: { eventsFrom: `${'m'.repeat(243)}@example.com` },
    says: `eventsFrom: is "${'m'.repeat(80)}"; give one address of at most 254 characters`,
  },
  {
    field: 'issuers, audience',
    fits: withIssuer({}),
    past: withIssuer({ audiences: [] }),
    says: 'issuers[0].audiences: is empty; give the audience that tokens for this gateway have, or, if the issuer writes none into tokens, the clients in clientIds',
  },
  {
    field: 'issuers, https',
    fits: withIssuer({ jwksUri: 'https://login.example/keys' }),
    past: withIssuer({ jwksUri: 'http://127.0.0.1:4000/keys' }),
    says: 'issuers[0].jwksUri: is "http://127.0.0.1:4000/keys"; give an https URL',
  },
  {
    field: 'issuers, tier',
    fits: { ...withIssuer({ tier: 'team' }), tierLimits: [{ tier: 'team', callsPerMinute: 1 }] },
    past: { ...withIssuer({ tier: 'team' }) },
    says: 'issuers[0].tier: is "team"; give free or pro',
  },
  {
    field: 'issuers, tiers of a claim',
    fits: withIssuer({ tierOf: { claim: 'plan', values: { gold: 'pro' } } }),
    past: withIssuer({ tierOf: { claim: 'plan', values: { gold: 'team' } } }),
    says: 'issuers[0].tierOf.values.gold: is "team"; give free or pro',
  },
  {
    field: 'issuers, secret',
    fits: withIssuer({ introspection: introspectionBy('skillgate/introspection') }),
    past: withIssuer({ introspection: introspectionBy('p@ss!word') }),
    says: 'issuers[0].introspection.clientSecret: does not fit; give the name or ARN of a secret',
  },
  {
    field: 'issuers, public origin',
    fits: withIssuer({}),
    past: { ...withIssuer({}), publicOrigin: undefined },
    says: 'issuers: needs publicOrigin, the https origin of your own that passes requests on to the function mcp; set it, or take issuers away',
  },
  {
    field: 'login, which needs to know its origin',
    fits: { login: true, publicOrigin: 'https://abc123.lambda-url.eu-central-1.on.aws' },
    past: { login: true },
    says: 'login: needs publicOrigin, an https origin of your own that passes requests on to the function mcp. Without one, deploy without login, set publicOrigin to the origin of McpUrl (https://….lambda-url.….on.aws) and login to true, and deploy again: people then log in with invitations only',
  },
  {
    field: 'authExtensions, names',
    fits: { ...withIssuer({}), authExtensions: ['client-credentials', 'enterprise-managed'] },
    past: { ...withIssuer({}), authExtensions: ['tasks'] },
    says: 'authExtensions: is "tasks"; give client-credentials or enterprise-managed',
  },
  {
    field: 'authExtensions, issuers',
    fits: { ...withIssuer({}), authExtensions: ['enterprise-managed'] },
    past: { authExtensions: ['enterprise-managed'] },
    says: 'authExtensions: needs issuers, which serve them; give issuers, or no extensions',
  },
  {
    field: 'eventsFrom',
    fits: { eventTargets: ['email:ops@example.com'], eventsFrom: 'gateway@example.com' },
    past: { eventTargets: ['slack:skillgate/slack', 'email:ops@example.com low_balance'] },
    says: 'eventsFrom: is missing, and eventTargets has email:ops@example.com low_balance; give the address that sends, which SES must have verified, or take the target away',
  },
  {
    field: 'provisionedUnitsMin, least',
    fits: { capacity: 'provisioned', provisionedUnitsMin: { write: 1, read: 1 } },
    past: { capacity: 'provisioned', provisionedUnitsMin: { write: 0, read: 1 } },
    says: 'provisionedUnitsMin.write: is 0; give a whole number from 1 to 40000',
  },
  {
    field: 'provisionedUnitsMin, the quota',
    fits: { capacity: 'provisioned', provisionedUnitsMin: { write: 40_000, read: 40_000 } },
    past: { capacity: 'provisioned', provisionedUnitsMin: { write: 1, read: 40_001 } },
    says: 'provisionedUnitsMin.read: is 40001; give a whole number from 1 to 40000',
  },
  {
    field: 'provisionedUnitsMin, the most of the stage',
    fits: {
      capacity: 'provisioned',
      provisionedUnitsMin: { write: 100, read: 5 },
      tableUnitsPerSec: { write: 100, read: 5 },
    },
    past: {
      capacity: 'provisioned',
      provisionedUnitsMin: { write: 101, read: 5 },
      tableUnitsPerSec: { write: 100, read: 5 },
    },
    says: 'provisionedUnitsMin.write: is 101; give at most tableUnitsPerSec.write (100)',
  },
  {
    field: 'logRetentionDays',
    fits: { logRetentionDays: 3653 },
    past: { logRetentionDays: 10 },
    says: 'logRetentionDays: is 10; give one of 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653',
  },
  {
    field: 'adminRequestsPerSec',
    fits: { adminRequestsPerSec: 10_000 },
    past: { adminRequestsPerSec: 10_001 },
    says: 'adminRequestsPerSec: is 10001; give a whole number from 1 to 10000',
  },
  {
    field: 'adminRequestsBurst',
    fits: { adminRequestsBurst: 5_000 },
    past: { adminRequestsBurst: 5_001 },
    says: 'adminRequestsBurst: is 5001; give a whole number from 1 to 5000',
  },
  {
    field: 'alarmEmail',
    fits: { alarmEmail: 'ada@example.com' },
    past: { alarmEmail: 'ada@example.com, bob@example.com' },
    says: 'alarmEmail: is "ada@example.com, bob@example.com"; give one address, or "none" for no mail',
  },
  {
    field: 'alarmEmail, nobody',
    fits: { alarmEmail: 'none' },
    past: { alarmEmail: 'nobody' },
    says: 'alarmEmail: is "nobody"; give one address, or "none" for no mail',
  },
  {
    field: 'pageEmail',
    fits: { pageEmail: 'pager@example.com' },
    past: { pageEmail: 'none' },
    says: 'pageEmail: is "none"; give one address of at most 254 characters',
  },
  {
    field: 'accountConcurrency, least',
    fits: { accountConcurrency: 10 },
    past: { accountConcurrency: 9 },
    says: 'accountConcurrency: is 9; give a whole number from 10 to 100000',
  },
  {
    field: 'accountConcurrency, most',
    fits: { accountConcurrency: 100_000 },
    past: { accountConcurrency: 100_001 },
    says: 'accountConcurrency: is 100001; give a whole number from 10 to 100000',
  },
  {
    field: 'callMemoryMb, least',
    fits: { callMemoryMb: 224 },
    past: { callMemoryMb: 223 },
    says: 'callMemoryMb: is 223; give a whole number from 224 to 10240',
  },
  {
    field: 'callMemoryMb, most',
    fits: { callMemoryMb: 10_240 },
    past: { callMemoryMb: 10_241 },
    says: 'callMemoryMb: is 10241; give a whole number from 224 to 10240',
  },
  {
    field: 'retainData',
    fits: { retainData: true, deletionProtection: true },
    past: { retainData: false, deletionProtection: true },
    says: 'retainData: is false and deletionProtection true; keep the data or protect nothing',
  },
  {
    field: 'adminAllowedCidrs, IPv4',
    fits: { adminAllowedCidrs: ['203.0.113.0/24', '0.0.0.0/0', '198.51.100.7/32'] },
    past: { adminAllowedCidrs: ['198.51.100.7/33'] },
    says: 'adminAllowedCidrs: is "198.51.100.7/33"; give a block such as 203.0.113.0/24 or 2001:db8::/32',
  },
  {
    field: 'adminAllowedCidrs, IPv6',
    fits: { adminAllowedCidrs: ['2001:db8::/128'] },
    past: { adminAllowedCidrs: ['2001:db8::/129'] },
    says: 'adminAllowedCidrs: is "2001:db8::/129"; give a block such as 203.0.113.0/24 or 2001:db8::/32',
  },
  {
    field: 'adminAllowedCidrs, with bits',
    fits: { adminAllowedCidrs: [] },
    past: { adminAllowedCidrs: ['203.0.113.7'] },
    says: 'adminAllowedCidrs: is "203.0.113.7"; give a block such as 203.0.113.0/24 or 2001:db8::/32',
  },
  {
    field: 'entries of adminAllowedCidrs',
    fits: { adminAllowedCidrs: blocks(64) },
    past: { adminAllowedCidrs: blocks(65) },
    says: 'adminAllowedCidrs: has 65 entries; give at most 64',
  },
  {
    field: 'archiveDays, least',
    fits: { archiveDays: 30 },
    past: { archiveDays: 29 },
    says: 'archiveDays: is 29; give a whole number from 30 to 36500',
  },
  {
    field: 'archiveDays, most',
    fits: { archiveDays: 36_500 },
    past: { archiveDays: 36_501 },
    says: 'archiveDays: is 36501; give a whole number from 30 to 36500',
  },
  {
    field: 'archiveDays, after the table',
    fits: { archiveDays: 90, ledgerHotDays: 90 },
    past: { archiveDays: 90, ledgerHotDays: 91 },
    says: 'archiveDays: is 90; give at least ledgerHotDays (91)',
  },
  {
    field: 'callLogSampling, least',
    fits: { callLogSampling: 1 },
    past: { callLogSampling: 0 },
    says: 'callLogSampling: is 0; give a whole number from 1 to 1000',
  },
  {
    field: 'callLogSampling, most',
    fits: { callLogSampling: 1_000 },
    past: { callLogSampling: 1_001 },
    says: 'callLogSampling: is 1001; give a whole number from 1 to 1000',
  },
  {
    field: 'monthlyBudgetUsd, least',
    fits: { alarmEmail: 'ada@example.com', monthlyBudgetUsd: 1 },
    past: { alarmEmail: 'ada@example.com', monthlyBudgetUsd: 0 },
    says: 'monthlyBudgetUsd: is 0; give a whole number from 1 to 1000000',
  },
  {
    field: 'monthlyBudgetUsd, most',
    fits: { alarmEmail: 'ada@example.com', monthlyBudgetUsd: 1_000_000 },
    past: { alarmEmail: 'ada@example.com', monthlyBudgetUsd: 1_000_001 },
    says: 'monthlyBudgetUsd: is 1000001; give a whole number from 1 to 1000000',
  },
  {
    field: 'alarmEmail, nobody',
    fits: { alarmEmail: 'none' },
    past: { alarmEmail: 'nobody' },
    says: 'alarmEmail: is "nobody"; give one address, or "none" for no mail',
  },
  {
    field: 'monthlyBudgetUsd, with nobody',
    fits: { alarmEmail: 'ada@example.com', monthlyBudgetUsd: 50 },
    past: { alarmEmail: 'none', monthlyBudgetUsd: 50 },
    says: 'monthlyBudgetUsd: has nobody to mail; give an address in alarmEmail, too',
  },
  {
    field: 'monthlyBudgetUsd, with an address',
    fits: { alarmEmail: 'ada@example.com', monthlyBudgetUsd: 50 },
    past: { monthlyBudgetUsd: 50 },
    says: 'monthlyBudgetUsd: has nobody to mail; give an address in alarmEmail, too',
  },
  {
    field: 'monthlyBudgetUsd, with nobody to mail',
    fits: { alarmEmail: 'ada@example.com', monthlyBudgetUsd: 50 },
    past: { alarmEmail: 'none', monthlyBudgetUsd: 50 },
    says: 'monthlyBudgetUsd: has nobody to mail; give an address in alarmEmail, too',
  },
  {
    field: 'eventTargets, a webhook',
    fits: { eventTargets: [`https://${'h'.repeat(2_000)}`] },
    past: { eventTargets: [`https://${'h'.repeat(2_001)}`] },
    says: `eventTargets: is "https://${'h'.repeat(72)}"; give ${AN_EVENT_TARGET}`,
  },
  {
    field: 'eventTargets, a webhook without credentials in its URL',
    fits: { eventTargets: ['https://hook.example/events?tenant=1'] },
    past: { eventTargets: ['https://ada:key@hook.example/'] },
    says: `eventTargets: is "https://ada:key@hook.example/"; give ${AN_EVENT_TARGET}`,
  },
  {
    field: 'eventTargets, a webhook over https',
    fits: { eventTargets: ['https://127.0.0.1/'] },
    past: { eventTargets: ['http://127.0.0.1/'] },
    says: `eventTargets: is "http://127.0.0.1/"; give ${AN_EVENT_TARGET}`,
  },
  {
    field: 'eventTargets, a URL',
    fits: { eventTargets: ['https://[::1]/'] },
    past: { eventTargets: ['https://['] },
    says: `eventTargets: is "https://["; give ${AN_EVENT_TARGET}`,
  },
  {
    field: 'eventTargets, a bus',
    fits: { eventTargets: [`bus:${'b'.repeat(256)}`] },
    past: { eventTargets: [`bus:${'b'.repeat(257)}`] },
    says: `eventTargets: is "bus:${'b'.repeat(76)}"; give ${AN_EVENT_TARGET}`,
  },
  {
    field: 'eventTargets, a bus without a pattern of IAM',
    fits: { eventTargets: ['bus:aws.partner/shop_1.alerts-2'] },
    past: { eventTargets: ['bus:*'] },
    says: `eventTargets: is "bus:*"; give ${AN_EVENT_TARGET}`,
  },
  {
    field: 'lowBalance, most',
    fits: { lowBalance: 100_000_000 },
    past: { lowBalance: 100_000_000.5 },
    says: `lowBalance: is 100000000.5; give ${A_LOW_BALANCE}`,
  },
  {
    field: 'lowBalance, least',
    fits: { lowBalance: 0 },
    past: { lowBalance: -1 },
    says: `lowBalance: is -1; give ${A_LOW_BALANCE}`,
  },
  {
    field: 'lowBalance, decimals',
    fits: { lowBalance: 0.000125 },
    past: { lowBalance: 0.0001255 },
    says: `lowBalance: is 0.0001255; give ${A_LOW_BALANCE}`,
  },
  {
    field: 'tableUnitsPerSec.write',
    fits: { tableUnitsPerSec: { write: 40_000, read: 40_000 } },
    past: { tableUnitsPerSec: { write: 40_001, read: 40_000 } },
    says: 'tableUnitsPerSec.write: is 40001; give a whole number from 1 to 40000',
  },
  {
    field: 'tableUnitsPerSec.read, least',
    fits: { tableUnitsPerSec: { write: 1, read: 1 } },
    past: { tableUnitsPerSec: { write: 1, read: 0 } },
    says: 'tableUnitsPerSec.read: is 0; give a whole number from 1 to 40000',
  },
  {
    field: 'reservedConcurrency',
    fits: { reservedConcurrency: { execute: 1 } },
    past: { reservedConcurrency: { execute: 0 } },
    says: 'reservedConcurrency.execute: is 0; give a whole number from 1 to 100000',
  },
  {
    field: 'reservedConcurrency.messages',
    fits: { sseConcurrency: 50, reservedConcurrency: { sse: 50, messages: 50 } },
    past: { sseConcurrency: 50, reservedConcurrency: { sse: 50, messages: 49 } },
    says: 'reservedConcurrency.messages: is 49; give at least sseConcurrency (50), or none',
  },
  {
    field: 'reservedConcurrency.mcp',
    fits: { sseConcurrency: 50, reservedConcurrency: { mcp: 50 } },
    past: { sseConcurrency: 50, reservedConcurrency: { mcp: 49 } },
    says: 'reservedConcurrency.mcp: is 49; give at least sseConcurrency (50), or none',
  },
  {
    field: 'reservedConcurrency.sse',
    fits: { sseConcurrency: 50, reservedConcurrency: { sse: 50 } },
    past: { sseConcurrency: 50, reservedConcurrency: { sse: 60 } },
    says: 'reservedConcurrency.sse: is 60 and sseConcurrency 50; give one number',
  },
]

describe.each(LIMITS)('the limit of $field', ({ fits, past, says }) => {
  test('a value at the limit is accepted', () => {
    expect(findStageErrors({ ...DEV, ...fits })).toEqual([])
  })

  test('a value past the limit is refused with the remedy', () => {
    expect(findStageErrors({ ...DEV, ...past })).toEqual([says])
  })
})

test('a stage reports all faults at once', () => {
  expect(() => assertStage({ ...DEV, prefix: 'SG', holdsMax: 0 })).toThrow(
    'Stage dev does not fit:\n' +
      '  prefix: is "SG"; give 1 to 16 characters of a-z and 0-9, a letter first, without the underscore\n' +
      '  holdsMax: is 0; give a whole number from 1 to 200',
  )
})
