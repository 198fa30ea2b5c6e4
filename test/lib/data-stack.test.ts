/** The resources that must survive exist, are retained, and can be created a second time. */
import { describe, expect, test } from 'vitest'
import { getStage } from '../../lib/stages.ts'
import { resourcesOf, synthesize } from './synthesized.ts'

const DEV = synthesize(getStage('dev'))
const PROD = synthesize(getStage('prod'))

function table(template: typeof DEV.data, name: 'Gateway' | 'Sessions') {
  const found = resourcesOf(template, 'AWS::DynamoDB::GlobalTable').find(([id]) =>
    id.startsWith(name),
  )
  return found?.[1] ?? {}
}

describe('the two tables', () => {
  test.each(['Gateway', 'Sessions'] as const)(
    'the table %s has the keys and the TTL of the adapters, and pays by request',
    (name) => {
      expect(table(DEV.data, name)).toMatchObject({
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'S' },
        ],
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
        BillingMode: 'PAY_PER_REQUEST',
      })
    },
  )

  test('the table Gateway restores to a point in time, and Sessions does not', () => {
    const restorable = (name: 'Gateway' | 'Sessions') => [
      expect.objectContaining({
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: name === 'Gateway' },
      }),
    ]
    expect(table(DEV.data, 'Gateway')['Replicas']).toEqual(restorable('Gateway'))
    expect(table(DEV.data, 'Sessions')['Replicas']).toEqual(restorable('Sessions'))
  })

  test('both tables take no more units a second than the stage says, and else any number', () => {
    for (const name of ['Gateway', 'Sessions'] as const) {
      expect(table(PROD.data, name)).toMatchObject({
        WriteOnDemandThroughputSettings: { MaxWriteRequestUnits: 4_000 },
        Replicas: [{ ReadOnDemandThroughputSettings: { MaxReadRequestUnits: 12_000 } }],
      })
      expect(JSON.stringify(table(DEV.data, name))).not.toContain('OnDemandThroughput')
    }
  })

  test('the table Gateway of a provisioned stage has a capacity that follows its load, and Sessions pays by request', () => {
    const { data } = synthesize({ ...getStage('prod'), capacity: 'provisioned' })
    const scaled = (most: number, target: number) => ({
      MinCapacity: 5,
      MaxCapacity: most,
      SeedCapacity: 5,
      TargetTrackingScalingPolicyConfiguration: { TargetValue: target },
    })
    expect(table(data, 'Gateway')).toMatchObject({
      BillingMode: 'PROVISIONED',
      WriteProvisionedThroughputSettings: { WriteCapacityAutoScalingSettings: scaled(4_000, 80) },
      Replicas: [
        {
          ReadProvisionedThroughputSettings: {
            ReadCapacityAutoScalingSettings: scaled(12_000, 50),
          },
        },
      ],
    })
    expect(JSON.stringify(table(data, 'Gateway'))).not.toContain('OnDemand')
    expect(table(data, 'Sessions')).toEqual(table(PROD.data, 'Sessions'))
  })

  test('a provisioned stage without a bound of its tables takes what the account grants a table', () => {
    const { data } = synthesize({ ...getStage('dev'), capacity: 'provisioned' })
    expect(table(data, 'Gateway')).toMatchObject({
      WriteProvisionedThroughputSettings: {
        WriteCapacityAutoScalingSettings: { MaxCapacity: 40_000 },
      },
    })
  })

  test('both tables have a stream: replies are in one, outcomes in the other, with what they replace', () => {
    expect(table(DEV.data, 'Gateway')['StreamSpecification']).toEqual({
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    })
    expect(table(DEV.data, 'Sessions')['StreamSpecification']).toEqual({
      StreamViewType: 'NEW_IMAGE',
    })
  })
})

describe('deletion', () => {
  test('of the stack leaves every resource where the stage retains its data', () => {
    const policies = Object.entries(PROD.data.Resources)
      .filter(([, { Type }]) => Type !== 'AWS::S3::BucketPolicy')
      .map(([id, { DeletionPolicy, UpdateReplacePolicy }]) => [
        id,
        DeletionPolicy,
        UpdateReplacePolicy,
      ])
    expect(policies).toHaveLength(6)
    // A resource of a first deploy that fails has no data, and goes.
    const kept = 'RetainExceptOnCreate,Retain'
    expect(policies.filter(([, ...both]) => both.join() !== kept)).toEqual([])
  })

  test('removes every resource where the stage does not retain its data, the key after 7 days', () => {
    const policies = Object.values(DEV.data.Resources)
      .filter(({ Type }) => !/^AWS::(Lambda|IAM)::|BucketPolicy$/.test(Type))
      .map(({ DeletionPolicy, UpdateReplacePolicy }) => `${DeletionPolicy}, ${UpdateReplacePolicy}`)
    // The six resources with data, and the resource that empties the bucket before it is deleted.
    expect(policies).toEqual(Array(7).fill('Delete, Delete'))
    expect(
      resourcesOf(DEV.data, 'AWS::KMS::Key').map(([, key]) => key['PendingWindowInDays']),
    ).toEqual([7])
  })

  test('of the Gateway table is refused where the stage opts in', () => {
    const protectedTables = (template: typeof DEV.data) =>
      resourcesOf(template, 'AWS::DynamoDB::GlobalTable').map(([, { Replicas }]) => Replicas)
    const replica = (is: boolean) => [expect.objectContaining({ DeletionProtectionEnabled: is })]
    expect(protectedTables(DEV.data)).toEqual([replica(false), replica(false)])
    expect(protectedTables(PROD.data)).toEqual([replica(true), replica(false)])
  })

  test('of the data stack of prod is refused, and of no other stack', () => {
    const refused = [DEV, PROD].flatMap(({ assembly }) =>
      assembly.stacks
        .filter((stack) => stack.terminationProtection)
        .map(({ stackName }) => stackName),
    )
    expect(refused).toEqual(['Skillgate-prod-Data'])
  })
})

test('the data stack gives nothing a name of its own, so that a first deploy that failed can be tried again', () => {
  const named = Object.entries(PROD.data.Resources).filter(
    ([, { Properties }]) =>
      'TableName' in Properties || 'Name' in Properties || 'AliasName' in Properties,
  )
  expect(named).toEqual([])
})

test('the data stack makes both admin secrets of 43 letters and digits, in the form that rotation needs', () => {
  const made = resourcesOf(DEV.data, 'AWS::SecretsManager::Secret').map(
    ([, { GenerateSecretString }]) => GenerateSecretString,
  )
  const one = {
    SecretStringTemplate: '{}',
    GenerateStringKey: 'current',
    PasswordLength: 43,
    ExcludePunctuation: true,
  }
  expect(made).toEqual([one, one])
})

test("the data stack rotates the key of users' secrets, whose own policy admits only the account", () => {
  const [[, key] = ['', {}], ...others] = resourcesOf(DEV.data, 'AWS::KMS::Key')
  expect(others).toEqual([])
  expect(key).toMatchObject({ EnableKeyRotation: true })
  const statements = JSON.stringify(key['KeyPolicy'])
  expect(statements.match(/"Principal"/g)).toHaveLength(1)
  expect(statements).toContain(':root')
})

describe('references between stacks', () => {
  const stacksOf = ({ data, gateway, watch }: typeof DEV) => ({
    'Skillgate-prod-Data': data,
    'Skillgate-prod-Gateway': gateway,
    'Skillgate-prod-Watch': watch,
  })
  const text = JSON.stringify(stacksOf(PROD))

  test('export nothing, since an export that another stack imports can neither change nor go', () => {
    const exported = Object.values(stacksOf(PROD)).flatMap(({ Outputs = {} }) =>
      Object.entries(Outputs).flatMap(([name, output]) => ('Export' in output ? [name] : [])),
    )
    expect(exported).toEqual([])
    expect(text).not.toContain('Fn::ImportValue')
  })

  test('read outputs that the named stack has', () => {
    const outputsOf = Object.entries(stacksOf(PROD)).flatMap(([stack, { Outputs = {} }]) =>
      Object.keys(Outputs).map((name) => `${stack} ${name}`),
    )
    const read = [
      ...text.matchAll(
        /"StackName":"([^"]+)","Region":\{"Ref":"AWS::Region"\},"OutputName":"(\w+)"/g,
      ),
    ].map(([, stack, output]) => `${stack} ${output}`)
    expect(read).toHaveLength(text.split('"Fn::GetStackOutput"').length - 1)
    expect(read.length).toBeGreaterThan(100)
    expect(read.filter((one) => !outputsOf.includes(one))).toEqual([])
  })
})

describe('the archive', () => {
  const [, bucket = {}] = resourcesOf(PROD.data, 'AWS::S3::Bucket')[0] ?? []
  const [, policy = {}] = resourcesOf(PROD.data, 'AWS::S3::BucketPolicy')[0] ?? []
  const { Statement } = policy['PolicyDocument'] as { Statement: readonly object[] }

  test('is encrypted, versioned and shut off from the public', () => {
    expect(bucket).toMatchObject({
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
        ],
      },
      VersioningConfiguration: { Status: 'Enabled' },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      LifecycleConfiguration: {
        Rules: [
          {
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
            NoncurrentVersionExpiration: { NoncurrentDays: 90 },
            ExpiredObjectDeleteMarker: true,
            Transitions: [{ StorageClass: 'GLACIER_IR', TransitionInDays: 365 }],
          },
          {
            Prefix: 'results/',
            ExpirationInDays: 1,
            NoncurrentVersionExpiration: { NoncurrentDays: 1 },
          },
        ],
      },
    })
  })

  test('ends no object by itself but results of calls', () => {
    const { Rules } = bucket['LifecycleConfiguration'] as { Rules: readonly object[] }
    const ending = Rules.filter((rule) => /"ExpirationInDays/.test(JSON.stringify(rule)))
    expect(ending).toEqual([expect.objectContaining({ Prefix: 'results/' })])
  })

  test('ends calls and grants after archiveDays, and the trail of changes never', () => {
    const { data } = synthesize({ ...getStage('dev'), archiveDays: 400 })
    const [[, bounded = {}] = []] = resourcesOf(data, 'AWS::S3::Bucket')
    const { Rules } = bounded['LifecycleConfiguration'] as { Rules: readonly object[] }
    const ending = Rules.filter((rule) => /"ExpirationInDays/.test(JSON.stringify(rule)))
    expect(ending).toEqual([
      expect.objectContaining({ Prefix: 'results/' }),
      { Id: 'Ledger', Prefix: 'ledger/', ExpirationInDays: 400, Status: 'Enabled' },
    ])
  })

  test('refuses requests without TLS, and a PUT that does not ask for a free name', () => {
    expect(Statement).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          Effect: 'Deny',
          Action: 's3:*',
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        }),
        expect.objectContaining({
          Effect: 'Deny',
          Principal: { AWS: '*' },
          Action: 's3:PutObject',
          Condition: {
            Null: { 's3:if-none-match': 'true' },
            Bool: { 's3:ObjectCreationOperation': 'true' },
          },
        }),
      ]),
    )
  })

  test('is emptied before it goes only where the stage does not retain its data', () => {
    const emptied = ({ Resources }: typeof DEV.data) =>
      Object.values(Resources).some(({ Type }) => Type === 'Custom::S3AutoDeleteObjects')
    expect([emptied(DEV.data), emptied(PROD.data)]).toEqual([true, false])
  })
})
