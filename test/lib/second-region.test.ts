/** What a stage prepares in a second region: the replica of the key, and copies of backups. */
import { App } from 'aws-cdk-lib'
import { describe, expect, test } from 'vitest'
import { addStacks } from '../../lib/gateway-app.ts'
import { findSecondRegionErrors } from '../../lib/rules-of-second-region.ts'
import type { Stage } from '../../lib/stage.ts'
import { findStageErrors } from '../../lib/stage-rules.ts'
import { getStage } from '../../lib/stages.ts'
import { resourcesOf, stubBundles, synthesize, type Template } from './synthesized.ts'

const ENV = { account: '111111111111', region: 'eu-central-1' }
const PROD = getStage('prod')
const REPLICA = 'arn:aws:kms:eu-west-1:111111111111:key/mrk-1234abcd1234abcd1234abcd1234abcd'

function synthesizedWith(fields: Partial<Stage>, env = ENV) {
  const { assembly, ...templates } = synthesize({ ...PROD, ...fields }, env)
  const second = assembly.stacks.find(({ stackName }) => stackName === 'Skillgate-prod-Replica')
  return { ...templates, second }
}

function only(template: Template, type: string) {
  const found = resourcesOf(template, type)
  expect(found).toHaveLength(1)
  return found[0]?.[1] ?? {}
}

describe("the key of users' secrets", () => {
  test('is a Multi-Region key in every stage, since no key becomes one later', () => {
    for (const name of ['dev', 'prod'] as const) {
      const key = only(synthesize(getStage(name)).data, 'AWS::KMS::Key')
      expect(key).toMatchObject({ MultiRegion: true, EnableKeyRotation: true })
    }
  })

  test('has a replica in the region of replicaRegion, which is made of the output of the data stack', () => {
    const { data, second } = synthesizedWith({ replicaRegion: 'eu-west-1' })
    expect(second?.environment).toMatchObject({ region: 'eu-west-1', account: '111111111111' })
    const template: Template = second?.template
    expect(Object.values(template.Resources).map(({ Type }) => Type)).toEqual([
      'AWS::KMS::ReplicaKey',
    ])
    expect(template.Resources['UserSecretsKey']).toMatchObject({
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        PrimaryKeyArn: {
          'Fn::GetStackOutput': {
            StackName: 'Skillgate-prod-Data',
            OutputName: 'UserSecretsKeyArn',
            Region: 'eu-central-1',
          },
        },
      },
    })
    expect(data.Outputs).toHaveProperty('UserSecretsKeyArn')
    expect(template.Outputs).toHaveProperty('SecretsKeyArn')
    expect(JSON.stringify(template.Resources['UserSecretsKey']?.Properties['KeyPolicy'])).toContain(
      'arn:aws:iam::111111111111:root',
    )
  })

  test('is that of secretsKeyArn where a stage names one, and functions may use no other', () => {
    const { data, gateway } = synthesizedWith(
      { secretsKeyArn: REPLICA },
      { ...ENV, region: 'eu-west-1' },
    )
    expect(resourcesOf(data, 'AWS::KMS::Key')).toEqual([])
    const statements = resourcesOf(gateway, 'AWS::IAM::Policy').flatMap(
      ([, { PolicyDocument }]) => {
        const { Statement } = Object(PolicyDocument)
        return Array.isArray(Statement) ? Statement : []
      },
    )
    const ofKms = statements.filter(({ Action }) => JSON.stringify(Action).includes('kms:'))
    expect(ofKms).toHaveLength(8)
    expect(new Set(ofKms.map(({ Resource }) => Resource))).toEqual(new Set([REPLICA]))
    const keys = resourcesOf(gateway, 'AWS::Lambda::Function').flatMap(
      ([, { Environment }]) => Object(Environment).Variables?.SECRETS_KEY_ID ?? [],
    )
    expect(keys).toEqual([REPLICA, REPLICA, REPLICA, REPLICA])
  })

  test('may be used by the functions under its own ARN alone, not under that of a replica', () => {
    const { gateway } = synthesizedWith({ replicaRegion: 'eu-west-1' })
    expect(JSON.stringify(gateway)).not.toContain('eu-west-1')
    expect(JSON.stringify(gateway)).not.toContain('mrk-')
  })
})

describe('copies of backups', () => {
  const { data, second } = synthesizedWith({
    replicaRegion: 'eu-west-1',
    backupRegion: 'eu-west-1',
  })
  const stack: Template = second?.template

  test('are made each night of the tables with the tag of the stage, and kept as long as the backup', () => {
    const { BackupPlan } = only(data, 'AWS::Backup::BackupPlan') as {
      BackupPlan: { BackupPlanRule: readonly object[] }
    }
    expect(BackupPlan.BackupPlanRule).toEqual([
      {
        RuleName: 'Daily',
        ScheduleExpression: 'cron(0 2 * * ? *)',
        StartWindowMinutes: 60,
        CompletionWindowMinutes: 480,
        Lifecycle: { DeleteAfterDays: 35 },
        TargetBackupVault: {
          'Fn::GetAtt': [expect.stringMatching(/^BackupVault/), 'BackupVaultName'],
        },
        CopyActions: [
          {
            DestinationBackupVaultArn:
              'arn:aws:backup:eu-west-1:111111111111:backup-vault:Skillgate-prod-Copies',
            Lifecycle: { DeleteAfterDays: 35 },
          },
        ],
      },
    ])
    expect(only(data, 'AWS::Backup::BackupSelection')['BackupSelection']).toMatchObject({
      ListOfTags: [
        { ConditionKey: 'SkillgateBackup', ConditionType: 'STRINGEQUALS', ConditionValue: 'prod' },
      ],
    })
    expect(only(stack, 'AWS::Backup::BackupVault')).toMatchObject({
      BackupVaultName: 'Skillgate-prod-Copies',
    })
  })

  test('are of the Gateway table alone: no other resource has the tag', () => {
    const tagged = Object.entries(data.Resources).filter(([, { Properties, Type }]) => {
      return (
        Type !== 'AWS::Backup::BackupSelection' &&
        JSON.stringify(Properties).includes('SkillgateBackup')
      )
    })
    expect(tagged.map(([id]) => id)).toEqual(['Gateway43CB3636'])
  })

  test('are in vaults that outlive their stacks, and go with a first deploy that failed', () => {
    const vaults = [data, stack].flatMap(({ Resources }) =>
      Object.values(Resources).filter(({ Type }) => Type === 'AWS::Backup::BackupVault'),
    )
    expect(vaults).toHaveLength(2)
    for (const vault of vaults) {
      expect(vault).toMatchObject({
        DeletionPolicy: 'RetainExceptOnCreate',
        UpdateReplacePolicy: 'Retain',
      })
    }
  })

  test('are not there in a stage without a second region', () => {
    const { data: own, second: none } = synthesizedWith({})
    expect(none).toBe(undefined)
    expect(Object.values(own.Resources).filter(({ Type }) => /Backup/.test(Type))).toEqual([])
  })
})

describe('the fields of a second region', () => {
  test.each<[string, Partial<Stage>, string]>([
    [
      'a region for copies without a key there',
      { backupRegion: 'eu-west-1' },
      'backupRegion: copies data whose secrets open nowhere there; give replicaRegion: eu-west-1, too',
    ],
    [
      'two regions',
      { backupRegion: 'eu-west-2', replicaRegion: 'eu-west-1' },
      'backupRegion: is "eu-west-2"; give the region of replicaRegion (eu-west-1)',
    ],
    [
      'copies of data that destroy deletes',
      { backupRegion: 'eu-west-1', replicaRegion: 'eu-west-1', retainData: false },
      'backupRegion: needs retainData, since backups hold what destroy deletes; keep both',
    ],
    [
      'a replica of a foreign key',
      { replicaRegion: 'eu-west-1', secretsKeyArn: REPLICA },
      'replicaRegion: is set, and secretsKeyArn names the key of another stack, which has its own replicas; take one away',
    ],
  ])('refuse %s, with the remedy', (_what, fields, error) => {
    expect(findSecondRegionErrors({ ...PROD, ...fields })).toEqual([error])
    expect(findStageErrors({ ...PROD, deletionProtection: false, ...fields })).toEqual([error])
  })

  test.each<[Partial<Stage>, { region?: string }, string]>([
    [
      { replicaRegion: 'eu-west-1' },
      {},
      'replicaRegion: needs to know the region of the stage; set AWS_REGION',
    ],
    [
      { replicaRegion: 'eu-west-1' },
      { region: 'eu-west-1' },
      'replicaRegion: is "eu-west-1"; give a region beside eu-west-1',
    ],
    [
      { secretsKeyArn: REPLICA },
      { region: 'eu-central-1' },
      `secretsKeyArn: is "${REPLICA}"; give a key in eu-central-1`,
    ],
  ])('%o is refused in %o before anything is deployed', (fields, env, error) => {
    const stage = { ...PROD, ...fields }
    expect(() => addStacks(new App(), { stage, env, bundles: stubBundles() })).toThrow(error)
  })
})
