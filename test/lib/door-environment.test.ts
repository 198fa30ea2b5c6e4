/** The settings that a stack passes to a function, read by the real reader of adapters/config. */
import { describe, expect, test } from 'vitest'
import type { ConfigName } from '../../adapters/config/config.ts'
import { readConfig } from '../../adapters/config/env.ts'
import { DOORS, type Door } from '../../lib/doors.ts'
import type { Stage } from '../../lib/stage.ts'
import { formatStreamsNote } from '../../lib/stage-warnings.ts'
import { getStage } from '../../lib/stages.ts'
import { resourcesOf, synthesize, type Template } from './synthesized.ts'

/** Every setting other than its default, so that one that is not passed on is seen. */
const ODD: Stage = {
  ...getStage('dev'),
  prefix: 'odd',
  replyTail: 'dynamodb-streams',
  tierLimits: [
    { tier: 'free', callsPerMinute: 5 },
    { tier: 'team', callsPerMinute: 3000, callsInFlight: 64 },
  ],
  holdsMax: 31,
  storeClient: 'sdk',
  sseConcurrency: 50,
  streamsPerKeyMax: 19,
  anonymousStreams: false,
  announceToolChanges: true,
  callExcerpts: true,
  allowedOrigins: ['https://app.example', 'https://other.example'],
  outboundAllow: ['10.0.0.7:8080'],
  signedAccess: ['arn:aws:iam::111111111111:role/Reader'],
  publicOrigin: 'https://mcp.example.com',
  issuers: [{ issuer: 'https://login.example', audiences: ['api://gateway'], typ: 'JWT' }],
  authExtensions: ['client-credentials'],
  anonymousList: true,
}

const DEV = synthesize(getStage('dev')).gateway
const EXPECTED_NEEDS: { readonly [D in Door]: readonly ConfigName[] } = {
  sse: ['settings', 'tables', 'telemetry', 'replyTail', 'messagesUrl', 'executeUrl', 'storeClient'],
  messages: ['settings', 'tables', 'telemetry', 'secretsKey', 'storeClient'],
  mcp: ['settings', 'tables', 'telemetry', 'secretsKey', 'storeClient'],
  execute: ['settings', 'tables', 'telemetry', 'secretsKey', 'callerRoles', 'storeClient'],
  admin: ['settings', 'tables', 'telemetry', 'adminSecretIds', 'secretsKey', 'executeUrl'],
  sweep: ['tables', 'telemetry', 'settings', 'eventTargets', 'ledgerHot', 'storeClient'],
  usage: ['tables', 'telemetry', 'ledgerHot'],
}

const ODD_GATEWAY = synthesize(ODD).gateway

type Variables = { readonly [name: string]: unknown }

function environmentOf(template: Template, door: Door): Variables {
  const found = resourcesOf(template, 'AWS::Lambda::Function').find(([, { Description }]) =>
    String(Description).endsWith(`the ${door} door`),
  )
  const environment = found?.[1]['Environment'] as { Variables: Variables } | undefined
  return environment?.Variables ?? {}
}

/** As CloudFormation would fill the variable in; the logical id stands for what only AWS knows. */
function filledIn(value: unknown): string {
  const text = JSON.stringify(value)
  const [, url] = /"(\w+)FunctionUrl\w{8}","FunctionUrl"/.exec(text) ?? []
  if (url !== undefined) {
    const [, path = ''] = /"(v1\/execute|mcp)"\]/.exec(text) ?? []
    return `https://${url.toLowerCase()}.lambda-url.eu-central-1.on.aws/${path}`
  }
  const [, name] = /"OutputName":"PublishOutput(\w+?)[0-9A-F]{8,}/.exec(text) ?? []
  if (name === 'FnGetAttSessions') {
    return 'arn:aws:dynamodb:eu-central-1:111111111111:table/Sessions/stream/2026-11-21T06:43:01.453'
  }
  if (name?.endsWith('UserSecretsKey'))
    return 'arn:aws:kms:eu-central-1:111111111111:key/11111111-2222-3333-4444-555555555555'
  if (name?.endsWith('Secret'))
    return `arn:aws:secretsmanager:eu-central-1:111111111111:secret:${name}`
  return name ?? String(value)
}

function configOf(template: Template, door: Door) {
  const filled = Object.entries(environmentOf(template, door)).map(([name, value]) => [
    name,
    filledIn(value),
  ])
  // The region is Lambda's own.
  const env = { AWS_REGION: 'eu-central-1', ...Object.fromEntries(filled) }
  return readConfig(env, EXPECTED_NEEDS[door])
}

describe.each(DOORS)('%s', (door) => {
  test('the door finds all settings that it needs', () => {
    expect(configOf(DEV, door)).toMatchObject({
      ok: true,
      value: {
        tables: { gateway: 'RefGateway', sessions: 'RefSessions' },
        telemetry: { stage: 'dev', callLogSampling: 1 },
      },
    })
  })
})

test.each([
  [getStage('dev'), DEV],
  [ODD, ODD_GATEWAY],
])('a deploy tells the limits of streams that the functions have', (stage, template) => {
  const config = configOf(template, 'sse')
  if (!config.ok) throw new Error('the configuration is refused')
  const { anonymousMax, perKeyMax, totalMax } = config.value.settings.streams
  expect(formatStreamsNote(stage)).toContain(
    `${totalMax} at once, ${anonymousMax} of them anonymous, ${perKeyMax} of one key`,
  )
})

test.each(['sse', 'messages', 'mcp', 'execute', 'admin'] as const)(
  'the setting %s is set by the whole stage',
  (door) => {
    expect(configOf(ODD_GATEWAY, door)).toMatchObject({
      ok: true,
      value: {
        settings: {
          prefix: 'odd',
          tiers: {
            free: { callsPerMinute: 5, holdsMax: 31 },
            pro: { callsPerMinute: 600, holdsMax: 31 },
            team: { callsPerMinute: 3000, holdsMax: 64 },
          },
          streams: { perKeyMax: 19, totalMax: 35, anonymousMax: 0 },
          announceToolChanges: true,
          callExcerpts: true,
          allowedOrigins: ['https://app.example', 'https://other.example'],
          outboundAllow: ['10.0.0.7:8080'],
          signedAccess: ['arn:aws:iam::111111111111:role/Reader'],
        },
      },
    })
  },
)

test.each(['sse', 'messages', 'mcp', 'execute', 'sweep'] as const)(
  'the function %s has the light client of the store, or the one of the SDK where the stage says so',
  (door) => {
    expect(configOf(DEV, door)).toMatchObject({ value: { storeClient: { kind: 'light' } } })
    expect(configOf(ODD_GATEWAY, door)).toMatchObject({ value: { storeClient: { kind: 'sdk' } } })
  },
)

test('our own calls lead to the internal URLs, and people to the public one', () => {
  const publicUrl = 'https://executealiaspublic.lambda-url.eu-central-1.on.aws/v1/execute'
  const internalUrl = new URL('https://executealiasinternal.lambda-url.eu-central-1.on.aws/')
  expect(configOf(DEV, 'sse')).toMatchObject({
    value: {
      settings: {
        executeUrl: publicUrl,
        mcpUrl: 'https://mcpaliaspublic.lambda-url.eu-central-1.on.aws/mcp',
      },
      executeUrl: internalUrl,
      messagesUrl: new URL('https://messagesaliasinternal.lambda-url.eu-central-1.on.aws/'),
    },
  })
  for (const door of ['mcp', 'messages'] as const) {
    expect(configOf(DEV, door)).toMatchObject({ value: { settings: { executeUrl: publicUrl } } })
    expect(environmentOf(DEV, door)).not.toHaveProperty('EXECUTE_IAM_URL')
  }
})

test('sse alone reads the partition, or the stream of Sessions where the stage says so', () => {
  const byPartition = synthesize({ ...getStage('dev'), replyTail: 'partition' }).gateway
  expect(configOf(byPartition, 'sse')).toMatchObject({
    value: { replyTail: { kind: 'partition' } },
  })
  expect(configOf(ODD_GATEWAY, 'sse')).toMatchObject({
    value: {
      replyTail: { kind: 'dynamodb-streams', streamArn: expect.stringContaining('/stream/') },
    },
  })
  const readers = DOORS.filter((door) => 'SESSIONS_STREAM_ARN' in environmentOf(ODD_GATEWAY, door))
  expect(readers).toEqual(['sse'])
})

test.each([
  ['ADMIN_ROLE', /^AdminRole/],
  ['SWEEP_ROLE', /^SweepRole/],
])('execute, and no other function, is told the role %s', (name, role) => {
  const told = DOORS.filter((door) => name in environmentOf(DEV, door))
  expect(told).toEqual(['execute'])
  expect(environmentOf(DEV, 'execute')[name]).toEqual({ Ref: expect.stringMatching(role) })
})

test('no function has a secret in its environment: admin gets the ids of two', () => {
  expect(configOf(DEV, 'admin')).toMatchObject({
    value: {
      adminSecretIds: {
        adminKey: expect.stringMatching(/:secret:RefAdminSecret$/),
        internalApiSecret: expect.stringMatching(/:secret:RefInternalSecret$/),
      },
    },
  })
  const naming = (what: string) =>
    DOORS.filter((door) => JSON.stringify(environmentOf(DEV, door)).includes(what))
  expect(naming('RefAdminSecret')).toEqual(['admin'])
  expect(naming('RefInternalSecret')).toEqual(['admin'])
  // Not a secret: the ARN of the key that four doors may use.
  expect(naming('UserSecretsKey')).toEqual(['messages', 'mcp', 'execute', 'admin'])
})
