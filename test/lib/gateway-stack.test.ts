/**
 * The doors as one stack: rights, schedule, versions, outputs. URLs and settings have files of
 * their own.
 */
import { describe, expect, test } from 'vitest'
import { DOORS, type Door } from '../../lib/doors.ts'
import { getStage } from '../../lib/stages.ts'
import { EMULATED_STAGE } from '../localstack/config.ts'
import {
  expectedStatements,
  type Statement,
  statementsOfRole,
  streamGrants,
  tableGrants,
} from './expected-grants.ts'
import {
  dataOutput,
  type Properties,
  resourcesOf,
  synthesize,
  type Template,
  tableOutputs,
} from './synthesized.ts'

const DEV = synthesize(getStage('dev')).gateway
const EMULATED = synthesize(EMULATED_STAGE).gateway
const PROD = synthesize({ ...getStage('prod'), replyTail: 'dynamodb-streams' })
const BY_STREAM = PROD.gateway

function statementsOf(template: Template, door: Door): readonly Statement[] {
  const role = `${door.charAt(0).toUpperCase()}${door.slice(1)}Role`
  const [id = ''] = Object.keys(template.Resources).filter((one) =>
    new RegExp(`^${role}[0-9A-F]{8}$`).test(one),
  )
  return statementsOfRole(template, id)
}

function withAction(template: Template, door: Door, prefix: string): readonly Statement[] {
  return statementsOf(template, door).filter(({ Action }) =>
    JSON.stringify(Action).includes(prefix),
  )
}

function only(template: Template, type: string): Properties {
  const found = resourcesOf(template, type)
  expect(found).toHaveLength(1)
  return found[0]?.[1] ?? {}
}

describe('the role of a function', () => {
  test.each(DOORS)('the role of %s has the table permissions of its ports', (door) => {
    const grants = tableGrants(statementsOf(DEV, door), tableOutputs('dev'))
    expect(grants).toEqual(expectedStatements(door))
  })

  test('the role of admin alone reads secrets, the two of the admin API', () => {
    expect(withAction(DEV, 'admin', 'secretsmanager:')).toEqual([
      {
        Effect: 'Allow',
        Action: 'secretsmanager:GetSecretValue',
        Resource: [
          dataOutput('dev', 'RefAdminSecretB945275023B2114F'),
          dataOutput('dev', 'RefInternalSecretD0FF93EAB29F6808'),
        ],
      },
    ])
    const others = DOORS.filter((door) => withAction(DEV, door, 'secretsmanager:').length > 0)
    expect(others).toEqual(['admin'])
  })

  test('admin seals with the keys of secrets, roles that make calls open and seal those of users, and no other role does either', () => {
    const used = DOORS.flatMap((door) =>
      withAction(DEV, door, 'kms:').map(({ Action, Resource }) => [door, Action, Resource]),
    )
    const key = dataOutput('dev', 'FnGetAttUserSecretsKey2286F2D5Arn3E4077BA')
    expect(used).toEqual([
      // Users' secrets, and shared ones.
      ['messages', ['kms:Decrypt', 'kms:GenerateDataKey'], key],
      ['messages', 'kms:Decrypt', key],
      ['mcp', ['kms:Decrypt', 'kms:GenerateDataKey'], key],
      ['mcp', 'kms:Decrypt', key],
      ['execute', ['kms:Decrypt', 'kms:GenerateDataKey'], key],
      ['execute', 'kms:Decrypt', key],
      ['admin', 'kms:GenerateDataKey', key],
      ['admin', 'kms:GenerateDataKey', key],
    ])
  })

  test('the role of sse alone reads the stream of Sessions, if the stage tails by it', () => {
    const byPartition = synthesize({ ...getStage('dev'), replyTail: 'partition' }).gateway
    const others = DOORS.filter((door) => door !== 'usage')
    expect(others.flatMap((door) => streamGrants(statementsOf(byPartition, door)))).toEqual([])
    const readers = others.filter((door) => streamGrants(statementsOf(BY_STREAM, door)).length > 0)
    expect(readers).toEqual(['sse'])
    expect(streamGrants(statementsOf(BY_STREAM, 'sse'))).toEqual([
      expect.objectContaining({
        Resource: dataOutput('prod', 'FnGetAttSessions8896A56DStreamArn72BDA96B'),
      }),
    ])
  })

  test('the role of usage alone reads the stream of Gateway, with the listing that Lambda demands', () => {
    expect(streamGrants(statementsOf(DEV, 'usage'))).toEqual([
      {
        Effect: 'Allow',
        Action: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
        Resource: dataOutput('dev', 'FnGetAttGateway43CB3636StreamArn38369A50'),
      },
      { Effect: 'Allow', Action: 'dynamodb:ListStreams', Resource: '*' },
    ])
  })

  test('the usage function is invoked for outcomes and grants alone, in batches that are halved and reported, and then set apart', () => {
    const mapping = only(DEV, 'AWS::Lambda::EventSourceMapping')
    expect(mapping).toMatchObject({
      BatchSize: 1_000,
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumBatchingWindowInSeconds: 60,
      MaximumRecordAgeInSeconds: 72_000,
      StartingPosition: 'TRIM_HORIZON',
      EventSourceArn: dataOutput('dev', 'FnGetAttGateway43CB3636StreamArn38369A50'),
    })
    const { Filters } = mapping['FilterCriteria'] as { Filters: { Pattern: string }[] }
    expect(Filters.map(({ Pattern }) => JSON.parse(Pattern))).toEqual([
      {
        eventName: ['INSERT', 'MODIFY'],
        dynamodb: {
          Keys: { pk: { S: [{ prefix: 'ledger:' }] } },
          NewImage: { state: { S: ['settled', 'refunded', 'granted'] } },
        },
      },
    ])
  })

  test('the role of usage puts objects into the archive and merges those of the ledger, and roles that make calls put and get results alone', () => {
    const ofS3 = DOORS.flatMap((door) =>
      statementsOf(DEV, door)
        .filter(({ Action }) => [Action].flat().some((one) => String(one).startsWith('s3:')))
        .map((statement) => ({ door, ...statement })),
    )
    const arn = dataOutput('dev', 'FnGetAttArchiveBucket49F1AC64Arn3245A5DF')
    const ofResults = {
      Effect: 'Allow',
      Action: ['s3:GetObject', 's3:PutObject'],
      Resource: { 'Fn::Join': ['', [arn, '/results/*']] },
    }
    expect(ofS3).toEqual([
      { door: 'messages', ...ofResults },
      { door: 'mcp', ...ofResults },
      { door: 'execute', ...ofResults },
      {
        door: 'usage',
        Effect: 'Allow',
        Action: 's3:PutObject',
        Resource: ['/audit/*', '/ledger/*'].map((end) => ({ 'Fn::Join': ['', [arn, end]] })),
      },
      {
        door: 'usage',
        Effect: 'Allow',
        Action: ['s3:DeleteObject', 's3:GetObject'],
        Resource: { 'Fn::Join': ['', [arn, '/ledger/*']] },
      },
      {
        door: 'usage',
        Effect: 'Allow',
        Action: 's3:ListBucket',
        Resource: arn,
        Condition: { StringLike: { 's3:prefix': ['ledger/*'] } },
      },
    ])
  })

  test('no resource is a star, but that of a listing of streams or alarms, and no action is one', () => {
    const wide = [DEV, EMULATED, BY_STREAM].flatMap((template) =>
      DOORS.flatMap((door) =>
        statementsOf(template, door)
          .filter(({ Resource }) =>
            [Resource].flat().some((one) => JSON.stringify(one).includes('*')),
          )
          .filter(
            ({ Action }) =>
              Action !== 'dynamodb:ListStreams' &&
              Action !== 'cloudwatch:DescribeAlarms' &&
              !JSON.stringify(Action).includes('s3:'),
          ),
      ),
    )
    expect(wide).toEqual([])
    const all = DOORS.flatMap((door) => statementsOf(DEV, door))
    expect(JSON.stringify(all.map(({ Action }) => Action))).not.toContain('*')
  })
})

describe('the aliases', () => {
  const DOORS_OF_ALIASES = [
    'Execute',
    'Execute',
    'Messages',
    'Mcp',
    'Sse',
    'Admin',
    'Sweep',
    'Usage',
  ] as const

  const versionsOfAliases = (template: Template) =>
    resourcesOf(template, 'AWS::Lambda::Alias').map(([, alias]) => alias['FunctionVersion'])

  test.each(['DEV', 'EMULATED'] as const)(
    'each alias of stage %s stands at first for the version of the template',
    (name) => {
      const template = { DEV, EMULATED }[name]
      const newest = (door: string) =>
        resourcesOf(template, 'AWS::Lambda::Version').find(([id]) => id.startsWith(door))?.[0]
      expect(versionsOfAliases(template)).toEqual(
        DOORS_OF_ALIASES.map((door) => ({ 'Fn::GetAtt': [newest(door), 'Version'] })),
      )
    },
  )

  test('each alias stands for the version that the parameter of its function names', () => {
    const given = {
      LiveExecuteVersion: '11',
      LiveMessagesVersion: '12',
      LiveMcpVersion: '13',
      LiveSseVersion: '14',
      LiveAdminVersion: '15',
      LiveSweepVersion: '16',
      LiveUsageVersion: '17',
    }
    for (const stage of [getStage('dev'), EMULATED_STAGE]) {
      expect(versionsOfAliases(synthesize(stage, {}, given).gateway)).toEqual(
        DOORS_OF_ALIASES.map((door) => Reflect.get(given, `Live${door}Version`)),
      )
    }
  })

  test('a parameter takes a number of a version or nothing, and nothing by default', () => {
    expect(DEV.Parameters['LiveMcpVersion']).toMatchObject({ Type: 'String', Default: '' })
    const { AllowedPattern } = DEV.Parameters['LiveMcpVersion'] ?? {}
    const pattern = new RegExp(String(AllowedPattern))
    expect(['', '1', '4294967295'].map((one) => pattern.test(one))).toEqual([true, true, true])
    expect(['0', '$LATEST', '1 ', '42949672950'].map((one) => pattern.test(one))).toEqual(
      Array(4).fill(false),
    )
  })

  test('published versions outlive an update, for rollbacks and for the calls and streams that run on them', () => {
    const versions = Object.values(DEV.Resources).filter(
      ({ Type }) => Type === 'AWS::Lambda::Version',
    )
    expect(
      versions.map(({ DeletionPolicy, UpdateReplacePolicy }) => [
        DeletionPolicy,
        UpdateReplacePolicy,
      ]),
    ).toEqual(Array(7).fill(['RetainExceptOnCreate', 'Retain']))
  })

  test('schedules, the stream of the table and API Gateway invoke aliases, and may invoke nothing else', () => {
    const mayBeInvoked = resourcesOf(DEV, 'AWS::Lambda::Permission').map(
      ([, { FunctionName }]) => FunctionName,
    )
    const aliases = resourcesOf(DEV, 'AWS::Lambda::Alias').map(([Ref]) => ({ Ref }))
    expect(mayBeInvoked.filter((name) => !aliases.some(({ Ref }) => isRefOf(name, Ref)))).toEqual(
      [],
    )
    const [[, mapping] = []] = resourcesOf(DEV, 'AWS::Lambda::EventSourceMapping')
    expect(JSON.stringify(mapping?.['FunctionName'])).toMatch(/UsageAliaslive.*":live"/)
    const uris = resourcesOf(DEV, 'AWS::ApiGateway::Method').map(([, { Integration }]) =>
      JSON.stringify(Integration),
    )
    expect(uris.filter((uri) => !uri.includes('"Ref":"AdminAliaslive'))).toEqual([])
  })

  test('the output of a function names the function, its aliases, its parameter and the newest version', () => {
    expect(JSON.stringify(DEV.Outputs['ExecuteRelease']?.Value)).toMatch(
      /"Ref":"Execute9719B345".*aliases\\":\[\\"public\\",\\"internal\\"\].*LiveExecuteVersion.*ExecuteCurrentVersion.*"Version"/,
    )
  })
})

function isRefOf(value: unknown, id: string): boolean {
  return JSON.stringify(value) === JSON.stringify({ Ref: id })
}

describe('the schedules', () => {
  const ruleOf = (start: string) =>
    resourcesOf(DEV, 'AWS::Events::Rule').find(([id]) => id.startsWith(start))?.[1]
  const invokedAs = (start: string) =>
    resourcesOf(DEV, 'AWS::Lambda::EventInvokeConfig').find(([id]) => id.startsWith(start))?.[1]

  test('a schedule invokes usage once a day to archive the trail of changes', () => {
    expect(ruleOf('UsageNews')).toMatchObject({
      ScheduleExpression: 'cron(20 1 * * ? *)',
      State: 'ENABLED',
      Targets: [
        {
          Arn: { Ref: expect.stringMatching(/^UsageAliaslive/) },
          Input: '{"task":"export-trail"}',
          RetryPolicy: { MaximumEventAgeInSeconds: 21_600, MaximumRetryAttempts: 2 },
        },
      ],
    })
  })

  test('the schedule invokes sweep every minute, and never twice for one minute', () => {
    expect(ruleOf('SweepSchedule')).toMatchObject({
      ScheduleExpression: 'cron(* * * * ? *)',
      State: 'ENABLED',
      Targets: [
        {
          Arn: { Ref: expect.stringMatching(/^SweepAliaslive/) },
          RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 },
        },
      ],
    })
    expect(invokedAs('Sweep')).toMatchObject({
      FunctionName: { Ref: 'Sweep576358E8' },
      MaximumEventAgeInSeconds: 60,
      MaximumRetryAttempts: 0,
    })
  })
})

test('the stack has the outputs that people and the suites look up', () => {
  expect(Object.keys(DEV.Outputs).filter((name) => !name.startsWith('PublishOutput'))).toEqual([
    'SseUrl',
    'McpUrl',
    'ExecuteUrl',
    'ExecuteInternalUrl',
    'AdminUrl',
    'ConsoleUrl',
    'AdminSecretId',
    'InternalSecretId',
    'GatewayTableName',
    'SessionsTableName',
    'ArchiveBucketName',
    'ArchiveLedgerTable',
    'ArchiveAuditTable',
    'CanarySecretId',
    'ReleasesParameter',
    'SseRelease',
    'MessagesRelease',
    'McpRelease',
    'ExecuteRelease',
    'AdminRelease',
    'SweepRelease',
    'UsageRelease',
  ])
})

test.each([
  ['dev', DEV],
  ['emulated', EMULATED],
  ['prod, by stream', BY_STREAM],
])('the template of %s contains no secret, and no account of its own', (_, template) => {
  // The account of every emulator, in which a fixture has a role.
  const text = JSON.stringify(template).replaceAll(':000000000000:role/reader-of-orders', '')
  expect(text).not.toMatch(/resolve:secretsmanager|"SecretString"|\d{12}:/)
})

test('the synth of prod warns, and so at each deploy, of every safety net that is not set', () => {
  const { messages } = PROD.assembly.getStackByName('Skillgate-prod-Gateway')
  const warned = messages
    .filter(({ level }) => level === 'warning')
    .map(({ entry }) => String(entry.data))
  for (const field of ['alarmEmail', 'monthlyBudgetUsd']) {
    expect(warned).toContainEqual(expect.stringMatching(new RegExp(`^${field}: is not set`)))
  }
})

test('the synth tells, and so each deploy, how many streams there may be and what raises the number', () => {
  const { messages } = PROD.assembly.getStackByName('Skillgate-prod-Gateway')
  const told = messages.filter(({ level }) => level === 'info').map(({ entry }) => entry.data)
  expect(told).toContainEqual(
    expect.stringMatching(
      /^streams: \d+ at once, \d+ of them anonymous, 20 of one key\..* sseConcurrency \(\d+\) .*preflight/,
    ),
  )
})

test('the stack tags tables and functions with project and stage', () => {
  const tagged = [
    ...resourcesOf(DEV, 'AWS::Lambda::Function'),
    ...resourcesOf(DEV, 'AWS::Logs::LogGroup'),
  ]
  const tags = [
    { Key: 'Project', Value: 'skillgate' },
    { Key: 'Stage', Value: 'dev' },
  ]
  expect(tagged.length).toBeGreaterThan(5)
  expect(tagged.filter(([, { Tags }]) => JSON.stringify(Tags) !== JSON.stringify(tags))).toEqual([])
})
