import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../adapters/config/env.ts'
import { VERSION } from '../../../adapters/config/version.ts'
import { findTierLimits } from '../../../core/settings.ts'

const STREAM_ARN =
  'arn:aws:dynamodb:eu-central-1:123456789012:table/sg-sessions/stream/2026-11-21T06:00:00.000'

function faultsOf(env: Record<string, string>, needs: Parameters<typeof readConfig>[1]) {
  const config = readConfig(env, needs)
  return config.ok ? [] : config.error
}

test('the version is that of package.json', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(VERSION).toBe(manifest.version)
})

test('every setting has a default', () => {
  expect(readConfig({}, ['settings'])).toEqual({
    ok: true,
    value: {
      settings: {
        version: VERSION,
        prefix: 'sg',
        tiers: {
          free: { callsPerMinute: 60, holdsMax: 32 },
          pro: { callsPerMinute: 600, holdsMax: 32 },
        },
        streams: { perKeyMax: 20, totalMax: 70, anonymousMax: 10 },
        announceToolChanges: false,
        toolList: 'all',
        priceInDescription: true,
        callExcerpts: true,
        ledgerHotMs: 1_209_600_000,
        allowedOrigins: [],
        authExtensions: [],
        lambdaUpstreams: [],
        outboundAllow: [],
        privateHosts: [],
        signedAccess: [],
        issuers: [],
        anonymousList: false,
        renamesChallenge: true,
        askForSecrets: true,
        executeUrl: undefined,
        mcpUrl: undefined,
        publicOrigin: undefined,
      },
    },
  })
})

test('every variable takes effect', () => {
  const env = {
    SKILLGATE_PREFIX: 'acme',
    TIER_LIMITS: 'free:5, pro:50:16,team:3000',
    HOLDS_MAX: '8',
    SSE_CONCURRENCY: '19',
    STREAMS_PER_KEY_MAX: '3',
    ANONYMOUS_STREAMS: 'off',
    ANNOUNCE_TOOL_CHANGES: 'on',
    ALLOWED_ORIGINS: 'https://app.example, vscode-webview://abc',
    AUTH_EXTENSIONS: 'client-credentials,enterprise-managed',
    LAMBDA_UPSTREAMS: 'orders,arn:aws:lambda:eu-west-1:111122223333:function:stock-*',
    OUTBOUND_ALLOW: 'localhost:3000,[::1]:80,printer.lan',
    PRIVATE_HOSTS: 'billing.corp.example,10.0.3.7:8443',
    PUBLIC_ORIGIN: 'https://mcp.example.com',
    ISSUERS: '[{"issuer":"https://login.example","audiences":["api://gateway"],"typ":"JWT"}]',
    ANONYMOUS_LIST: 'on',
    RESTORES_CHALLENGE: 'on',
    ASK_FOR_SECRETS: 'off',
    SIGNED_ACCESS: 'arn:aws:iam::111111111111:role/Reader,A1.lambda-url.eu-central-1.on.aws',
    EXECUTE_URL: 'https://execute.example/v1/execute',
    MCP_URL: 'https://mcp.example.com/mcp',
    GATEWAY_TABLE: 'sg-gateway',
    SESSIONS_TABLE: 'sg-sessions',
    REPLY_TAIL: 'dynamodb-streams',
    SESSIONS_STREAM_ARN: STREAM_ARN,
    MESSAGES_URL: 'https://m.lambda-url.eu-central-1.on.aws/',
    EXECUTE_IAM_URL: 'http://127.0.0.1:9999',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'ASIAX',
    AWS_SECRET_ACCESS_KEY: 's',
    AWS_SESSION_TOKEN: 't',
    INTERNAL_SECRET_ID: 'skillgate/internal',
    ADMIN_SECRET_ID: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:Admin-AbC123',
    SKILLGATE_STAGE: 'prod',
  }
  const needs = [
    'settings',
    'tables',
    'messagesUrl',
    'executeUrl',
    'signing',
    'credentials',
    'replyTail',
    'adminSecretIds',
    'telemetry',
  ] as const
  expect(readConfig(env, needs)).toEqual({
    ok: true,
    value: {
      settings: {
        version: VERSION,
        prefix: 'acme',
        tiers: {
          free: { callsPerMinute: 5, holdsMax: 8 },
          pro: { callsPerMinute: 50, holdsMax: 16 },
          team: { callsPerMinute: 3000, holdsMax: 8 },
        },
        streams: { perKeyMax: 3, totalMax: 13, anonymousMax: 0 },
        announceToolChanges: true,
        toolList: 'all',
        priceInDescription: true,
        callExcerpts: true,
        ledgerHotMs: 1_209_600_000,
        allowedOrigins: ['https://app.example', 'vscode-webview://abc'],
        authExtensions: ['client-credentials', 'enterprise-managed'],
        lambdaUpstreams: ['orders', 'arn:aws:lambda:eu-west-1:111122223333:function:stock-*'],
        outboundAllow: ['localhost:3000', '[::1]:80', 'printer.lan'],
        privateHosts: ['billing.corp.example', '10.0.3.7:8443'],
        signedAccess: [
          'arn:aws:iam::111111111111:role/Reader',
          'a1.lambda-url.eu-central-1.on.aws',
        ],
        publicOrigin: 'https://mcp.example.com',
        issuers: [
          {
            issuer: 'https://login.example',
            audiences: ['api://gateway'],
            typ: 'JWT',
            clientIds: [],
            scopeClaim: 'scope',
            subjectClaim: 'sub',
            provision: 'off',
            initialCredits: 0,
            tier: 'free',
            allowedDomains: [],
          },
        ],
        anonymousList: true,
        renamesChallenge: false,
        askForSecrets: false,
        executeUrl: 'https://execute.example/v1/execute',
        mcpUrl: 'https://mcp.example.com/mcp',
      },
      tables: { gateway: 'sg-gateway', sessions: 'sg-sessions' },
      messagesUrl: new URL('https://m.lambda-url.eu-central-1.on.aws/'),
      executeUrl: new URL('http://127.0.0.1:9999/'),
      signing: {
        region: 'eu-central-1',
        credentials: { accessKeyId: 'ASIAX', secretAccessKey: 's', sessionToken: 't' },
      },
      credentials: { accessKeyId: 'ASIAX', secretAccessKey: 's', sessionToken: 't' },
      replyTail: { kind: 'dynamodb-streams', streamArn: STREAM_ARN },
      adminSecretIds: {
        internalApiSecret: 'skillgate/internal',
        adminKey: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:Admin-AbC123',
      },
      telemetry: { stage: 'prod', callLogSampling: 1 },
    },
  })
})

test('a door gets only the parts that it asks for, frozen', () => {
  const config = readConfig({ GATEWAY_TABLE: 'ggg', SESSIONS_TABLE: 'sss' }, ['settings', 'tables'])
  if (!config.ok) throw new Error(config.error.join())
  expect(Object.keys(config.value)).toEqual(['settings', 'tables'])
  for (const part of [config.value, config.value.settings, config.value.settings.tiers.free]) {
    expect(Object.isFrozen(part)).toBe(true)
  }
})

test('every missing variable is named at once, and an empty variable is missing', () => {
  const env = { GATEWAY_TABLE: '', TIER_LIMITS: '' }
  const needs = ['settings', 'tables', 'messagesUrl', 'signing', 'adminSecretIds'] as const
  expect(faultsOf(env, needs)).toEqual([
    'GATEWAY_TABLE: is missing; give a table name',
    'SESSIONS_TABLE: is missing; give a table name',
    'MESSAGES_URL: is missing; give the https URL of the function (http only on this machine)',
    'AWS_REGION: is missing; give a region such as eu-central-1',
    'AWS_ACCESS_KEY_ID: is missing; give the secret',
    'AWS_SECRET_ACCESS_KEY: is missing; give the secret',
    'INTERNAL_SECRET_ID: is missing; give the name or ARN of a secret',
    'ADMIN_SECRET_ID: is missing; give the name or ARN of a secret',
  ])
})

describe('limits of the tiers', () => {
  const tiersOf = (text: string) => {
    const config = readConfig({ TIER_LIMITS: text }, ['settings'])
    if (!config.ok) throw new Error(config.error.join())
    return config.value.settings
  }

  test('a tier without an entry keeps its built-in limits', () => {
    expect(tiersOf('team:3000').tiers).toEqual({
      free: { callsPerMinute: 60, holdsMax: 32 },
      pro: { callsPerMinute: 600, holdsMax: 32 },
      team: { callsPerMinute: 3000, holdsMax: 32 },
    })
  })

  test('a user of an unknown tier has the limits of free', () => {
    expect(findTierLimits(tiersOf('free:7'), 'gold').callsPerMinute).toBe(7)
    expect(findTierLimits(tiersOf('free:7'), '__proto__').callsPerMinute).toBe(7)
    expect(findTierLimits(tiersOf('__proto__:9'), '__proto__').callsPerMinute).toBe(9)
    expect(findTierLimits(tiersOf('gold:9:200'), 'gold')).toEqual({
      callsPerMinute: 9,
      holdsMax: 200,
    })
    expect(findTierLimits(tiersOf('gold:1000000:1'), 'gold').callsPerMinute).toBe(1_000_000)
  })

  test.each([
    ['pro'],
    ['pro:0'],
    ['pro:1000001'],
    ['pro:60:0'],
    ['pro:60:201'],
    ['p p:60'],
    ['a:1:2:3'],
  ])('the entry %j is refused with the expected form', (entry) => {
    expect(faultsOf({ TIER_LIMITS: entry }, ['settings'])).toEqual([
      `TIER_LIMITS: is "${entry}"; give TIER:CALLS_PER_MINUTE[:CALLS_IN_FLIGHT], such as pro:600 or team:3000:64 (1 to 1000000, 1 to 200)`,
    ])
  })
})

describe('a wrong variable', () => {
  test.each([
    [
      { SKILLGATE_PREFIX: 'SG_' },
      'SKILLGATE_PREFIX: is "SG_"; give 1 to 16 characters of a-z and 0-9, a letter first, without the underscore',
    ],
    [{ HOLDS_MAX: '0' }, 'HOLDS_MAX: is "0"; give a whole number from 1 to 200'],
    [{ HOLDS_MAX: '201' }, 'HOLDS_MAX: is "201"; give a whole number from 1 to 200'],
    [{ HOLDS_MAX: '1.5' }, 'HOLDS_MAX: is "1.5"; give a whole number from 1 to 200'],
    [{ SSE_CONCURRENCY: '9' }, 'SSE_CONCURRENCY: is "9"; give a whole number from 10 to 100000'],
    [{ ANNOUNCE_TOOL_CHANGES: 'yes' }, 'ANNOUNCE_TOOL_CHANGES: is "yes"; give on or off'],
    [{ ANONYMOUS_STREAMS: 'no' }, 'ANONYMOUS_STREAMS: is "no"; give on or off'],
    [
      { ALLOWED_ORIGINS: 'https://a.example/' },
      'ALLOWED_ORIGINS: is "https://a.example/"; give an origin such as https://app.example',
    ],
    [
      { LAMBDA_UPSTREAMS: '*' },
      'LAMBDA_UPSTREAMS: is "*"; give the name or ARN of a function without version and alias, whose end may be an asterisk, such as orders-*',
    ],
    [
      { LAMBDA_UPSTREAMS: 'arn:aws:lambda:eu-west-1:111122223333:function:a:live' },
      'LAMBDA_UPSTREAMS: is "arn:aws:lambda:eu-west-1:111122223333:function:a:live"; give the name or ARN of a function without version and alias, whose end may be an asterisk, such as orders-*',
    ],
    [
      { OUTBOUND_ALLOW: 'http://a' },
      'OUTBOUND_ALLOW: is "http://a"; give HOST or HOST:PORT, such as localhost:3000',
    ],
    [
      { OUTBOUND_ALLOW: 'a:99999' },
      'OUTBOUND_ALLOW: is "a:99999"; give HOST or HOST:PORT, such as localhost:3000',
    ],
  ])('the variables %j are refused by name and with the remedy', (env, fault) => {
    expect(faultsOf(env, ['settings'])).toEqual([fault])
  })

  test('a list of 100 entries is accepted, one of 101 is refused', () => {
    const hosts = (count: number) => Array.from({ length: count }, (_, i) => `h${i}`).join(',')
    expect(faultsOf({ OUTBOUND_ALLOW: hosts(100) }, ['settings'])).toEqual([])
    expect(faultsOf({ OUTBOUND_ALLOW: hosts(101) }, ['settings'])).toEqual([
      'OUTBOUND_ALLOW: has 101 entries; give at most 100',
    ])
  })

  test('an unknown reply tail is refused', () => {
    expect(faultsOf({ REPLY_TAIL: 'kafka' }, ['replyTail'])).toEqual([
      'REPLY_TAIL: is "kafka"; give dynamodb-streams or partition',
    ])
  })

  test.each([
    [undefined, 'is missing'],
    ['arn:aws:dynamodb:eu-central-1:123456789012:table/sg-sessions', 'is "arn:aws:dynamodb:eu-'],
    ['arn:aws:kinesis:eu-central-1:123456789012:stream/sg-sessions', 'is "arn:aws:kinesis:eu-'],
  ])('the tail of the stream %j is refused with its remedy', (arn, how) => {
    const env = { REPLY_TAIL: 'dynamodb-streams', ...(arn && { SESSIONS_STREAM_ARN: arn }) }
    const [fault, ...more] = faultsOf(env, ['replyTail'])
    expect(fault).toContain(`SESSIONS_STREAM_ARN: ${how}`)
    expect(fault).toContain(
      'give the ARN of the stream of SESSIONS_TABLE, which REPLY_TAIL=dynamodb-streams reads',
    )
    expect(more).toEqual([])
  })

  test.each([['Prod'], ['1'], ['a b'], ['a2345678901234567']])(
    'the stage %s is refused with its remedy',
    (stage) => {
      expect(faultsOf({ SKILLGATE_STAGE: 'a234567890123456' }, ['telemetry'])).toEqual([])
      expect(faultsOf({ SKILLGATE_STAGE: stage }, ['telemetry'])).toEqual([
        `SKILLGATE_STAGE: is "${stage}"; give 1 to 16 characters of a-z, 0-9 and -, a letter first`,
      ])
    },
  )

  test.each([['a secret'], ['{"current":"x"}'], ['a'.repeat(2049)]])(
    'the id %s of a secret is refused with its remedy',
    (id) => {
      const [fault, ...more] = faultsOf({ INTERNAL_SECRET_ID: id, ADMIN_SECRET_ID: 'ok' }, [
        'adminSecretIds',
      ])
      expect(fault).toContain('INTERNAL_SECRET_ID: is "')
      expect(more).toEqual([])
    },
  )

  test.each([['http://m.example/'], ['ftp://m.example'], ['https://u:p@m.example'], ['m.example']])(
    'the peer URL %s is refused with its remedy',
    (url) => {
      expect(faultsOf({ MESSAGES_URL: url }, ['messagesUrl'])).toEqual([
        `MESSAGES_URL: is "${url}"; give the https URL of the function (http only on this machine)`,
      ])
    },
  )

  test('missing credentials are named, and present ones are never shown', () => {
    const env = { AWS_ACCESS_KEY_ID: 'ASIAX', AWS_SECRET_ACCESS_KEY: '' }
    expect(faultsOf(env, ['credentials'])).toEqual([
      'AWS_SECRET_ACCESS_KEY: is missing; give the secret',
    ])
  })
})

describe("the key of users' secrets", () => {
  test.each([
    'arn:aws:kms:eu-central-1:111111111111:key/11111111-2222-3333-4444-555555555555',
    'arn:aws-cn:kms:cn-north-1:111111111111:key/mrk-1234abcd12ab34cd56ef1234567890ab',
  ])('may be %s', (keyId) => {
    const config = readConfig({ SECRETS_KEY_ID: keyId }, ['secretsKey'])
    expect(config).toEqual({ ok: true, value: { secretsKey: { keyId } } })
  })

  test.each([
    'alias/secrets',
    'arn:aws:kms:eu-central-1:111111111111:alias/secrets',
    '11111111-2222-3333-4444-555555555555',
  ])('may not be %s, since sealed values name the key itself', (text) => {
    expect(faultsOf({ SECRETS_KEY_ID: text }, ['secretsKey'])).toEqual([
      `SECRETS_KEY_ID: is ${JSON.stringify(text)}; give the ARN of a KMS key (arn:aws:kms:REGION:ACCOUNT:key/ID)`,
    ])
  })
})

test('streams without settings find replies in their partition, and the stage is local', () => {
  const config = readConfig({ SESSIONS_STREAM_ARN: 'unused' }, ['replyTail', 'telemetry'])
  expect(config).toEqual({
    ok: true,
    value: { replyTail: { kind: 'partition' }, telemetry: { stage: 'local', callLogSampling: 1 } },
  })
})

describe('the place where functions of skills are invoked', () => {
  const BASE = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 's' }
  const read = (env: { readonly [name: string]: string }) => {
    const config = readConfig({ ...BASE, ...env }, ['lambda'])
    return config.ok ? config.value.lambda : config.error
  }

  test('is at the hosts of AWS, by the kinds that the environment selects', () => {
    expect(read({})).toMatchObject({
      endpoint: undefined,
      kinds: { fips: false, dualStack: false },
    })
    expect(read({ AWS_USE_FIPS_ENDPOINT: 'true' })).toMatchObject({ kinds: { fips: true } })
  })

  test('is at another place if one is given, first that of Lambda alone', () => {
    const all = { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' }
    const own = { ...all, AWS_ENDPOINT_URL_LAMBDA: 'http://127.0.0.1:9001' }
    expect(read(all)).toMatchObject({ endpoint: new URL('http://127.0.0.1:4566') })
    expect(read(own)).toMatchObject({ endpoint: new URL('http://127.0.0.1:9001') })
    expect(read({ ...own, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' })).toMatchObject({
      endpoint: undefined,
    })
  })
})
