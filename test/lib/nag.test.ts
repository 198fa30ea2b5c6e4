/**
 * cdk-nag's AwsSolutions and Serverless packs, and CloudFormation's own rules, find nothing in any
 * stage that lib/nag.ts does not answer; and they do find what is wrong.
 */
import { type App, Validations } from 'aws-cdk-lib'
import * as iam from 'aws-cdk-lib/aws-iam'
import * as kms from 'aws-cdk-lib/aws-kms'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import { describe, expect, test } from 'vitest'
import { addStacks } from '../../lib/gateway-app.ts'
import { addRulePacks } from '../../lib/nag.ts'
import type { Stage } from '../../lib/stage.ts'
import { getStage } from '../../lib/stages.ts'
import { EMULATED_STAGE } from '../localstack/config.ts'
import { EDGE_STAGE } from './edge/edge-stage.ts'
import { newApp, stubBundles } from './synthesized.ts'

process.env['CDK_VALIDATION'] = 'true'

/** As the CLI gives them: findings name the account's ARNs then, not their tokens. */
const ENV = { account: '111111111111', region: 'eu-central-1' }

function built(stage: Stage) {
  const app = newApp()
  return { app, ...addStacks(app, { stage, env: ENV, bundles: stubBundles() }) }
}

function findingsIn(app: App): string[] {
  const reports = [new AwsSolutionsChecks(app), new ServerlessChecks(app)].map((pack) =>
    pack.validateScope(app),
  )
  return reports.flatMap(({ violations }) =>
    violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName} at ${constructPath}`),
    ),
  )
}

describe.each([getStage('dev'), getStage('prod'), EMULATED_STAGE])('stage $name', (stage) => {
  test('a stage passes synth with every rule pack, and no finding is left', () => {
    const { app } = built(stage)
    addRulePacks(app)
    expect(() => app.synth()).not.toThrow()
    expect(findingsIn(app)).toEqual([])
  })
})

test('a stage passes with the dynamodb-streams tail, a provisioned table and every optional resource', () => {
  const stage: Stage = {
    ...getStage('prod'),
    replyTail: 'dynamodb-streams',
    capacity: 'provisioned',
    reservedConcurrency: { sse: 100, messages: 100, mcp: 100, execute: 100, admin: 5, sweep: 1 },
    apiLogRole: 'keep',
    alarmEmail: 'operator@example.com',
    pageEmail: 'pager@example.com',
    monthlyBudgetUsd: 50,
    adminAllowedCidrs: ['203.0.113.0/24'],
    privateHosts: ['billing.corp.example'],
    vpcSubnetIds: ['subnet-0123456789abcdef0'],
    vpcSecurityGroupIds: ['sg-0123456789abcdef0'],
    syntheticCalls: true,
  }
  const { app } = built(stage)
  addRulePacks(app)
  expect(() => app.synth()).not.toThrow()
  expect(findingsIn(app)).toEqual([])
})

test('a stage with a second region passes every rule pack', () => {
  const second = { replicaRegion: 'eu-west-1', backupRegion: 'eu-west-1' }
  const { app } = built({ ...getStage('prod'), ...second })
  addRulePacks(app)
  expect(() => app.synth()).not.toThrow()
  expect(findingsIn(app)).toEqual([])
})

test.each(['https://hook.example/events', 'bus:alerts'])(
  'a stage whose events go to %s passes every rule pack',
  (eventTarget) => {
    const { app } = built({ ...getStage('prod'), eventTargets: [eventTarget] })
    addRulePacks(app)
    expect(() => app.synth()).not.toThrow()
    expect(findingsIn(app)).toEqual([])
  },
)

test('a stage with an edge passes every rule pack, with a firewall and without', () => {
  for (const edgeFirewall of ['off', 'block'] as const) {
    const { app } = built({ ...EDGE_STAGE, edgeFirewall })
    addRulePacks(app)
    expect(() => app.synth()).not.toThrow()
    expect(findingsIn(app)).toEqual([])
  }
})

test('a stage that names functions for skills passes every rule pack', () => {
  const lambdaUpstreams = ['orders', 'stock-*', 'arn:aws:lambda:us-east-1:444455556666:function:a']
  const { app } = built({ ...getStage('prod'), lambdaUpstreams })
  addRulePacks(app)
  expect(() => app.synth()).not.toThrow()
  expect(findingsIn(app)).toEqual([])
})

describe('a rule pack that finds a fault', () => {
  test('a right that is too wide fails the synth', () => {
    const { app, gateway } = built(getStage('dev'))
    addRulePacks(app)
    gateway.doors.sweep.addToRolePolicy(
      new iam.PolicyStatement({ actions: ['dynamodb:*'], resources: ['*'] }),
    )
    expect(() => app.synth()).toThrow('AwsSolutions-IAM5[Action::dynamodb:*]')
  })

  test('a key that does not rotate fails the synth', () => {
    const { app, data } = built(getStage('dev'))
    new kms.Key(data, 'Careless', { enableKeyRotation: false })
    expect(findingsIn(app)).toEqual(['AwsSolutions-KMS5 at Skillgate-dev-Data/Careless/Resource'])
  })
})

test('each finding that is accepted has a reason of more than a few words', () => {
  const { app } = built(getStage('prod'))
  const reasons = app.node
    .findAll()
    .flatMap((construct) =>
      construct.node.metadata
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .flatMap(({ data }) => Object.values<string>(data)),
    )
  expect(reasons.length).toBeGreaterThan(10)
  expect(reasons.filter((reason) => reason.split(' ').length < 8)).toEqual([])
})
