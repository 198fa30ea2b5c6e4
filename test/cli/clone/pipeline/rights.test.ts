/**
 * The rights of the workflow's roles beside the requests that a deploy, its preflight and a rollback
 * send to servers of this machine. A request whose right is missing, or a right that no request
 * needs, fails here.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Template } from 'aws-cdk-lib/assertions'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readFacts } from '../../../../cli/clone/preflight/facts.ts'
import { readLiveWords, releaseStage } from '../../../../cli/clone/release/release-stage.ts'
import { rollbackStage } from '../../../../cli/clone/release/rollback.ts'
import { PipelineStack } from '../../../../lib/pipeline-stack.ts'
import { getStage } from '../../../../lib/stages.ts'
import { newApp, resourcesOf, synthesize } from '../../../lib/synthesized.ts'
import { runIn } from '../../test-shell.ts'
import { environmentOf, ok, startStandIn } from '../preflight/stand-in.ts'
import { AwsStage } from '../release/aws-stage.ts'

const repository = 'octocat-1/gateway-2'
const stage = { ...getStage('dev'), githubRepository: repository }
const env = { account: '111111111111', region: 'eu-central-1' }
const template = Template.fromStack(
  new PipelineStack(newApp(), 'Skillgate-dev-Pipeline', { env, stage, repository }),
)
const WELCOME = join(import.meta.dirname, '../../../../cli/clone/deploy/welcome.ts')

/** Requests by what their names begin with, and the action that IAM looks at. */
const ACTIONS: readonly (readonly [RegExp, string | undefined])[] = [
  // Nobody needs a right for it.
  [/^sts POST \/ GetCallerIdentity/, undefined],
  [/^apigateway GET \/account/, 'apigateway:GET'],
  [/^lambda GET \/2016-08-19\/account-settings/, 'lambda:GetAccountSettings'],
  [/^lambda GET \S+\/concurrency$/, 'lambda:GetFunctionConcurrency'],
  [/^lambda GET \S+\/configuration\?Qualifier=/, 'lambda:GetFunctionConfiguration'],
  [/^lambda GET \S+\/aliases\/\w+$/, 'lambda:GetAlias'],
  [/^lambda PUT \S+\/aliases\/\w+$/, 'lambda:UpdateAlias'],
  [/^lambda POST \S+\/url/, 'lambda:CreateFunctionUrlConfig'],
  [/^monitoring POST DescribeAlarms/, 'cloudwatch:DescribeAlarms'],
  [/^ssm POST .*GetParameter/, 'ssm:GetParameter'],
  [/^ssm POST PutParameter/, 'ssm:PutParameter'],
  [/^sns POST \/ ListSubscriptionsByTopic/, 'sns:ListSubscriptionsByTopic'],
  [/^cloudformation POST (?:\/ )?DescribeStacks/, 'cloudformation:DescribeStacks'],
  [/^cloudformation POST \/ ListStackResources/, 'cloudformation:ListStackResources'],
  [/^cloudformation POST UpdateStack/, 'cloudformation:UpdateStack'],
]

let asked: readonly string[] = []

beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  const aws = new AwsStage({ Mcp: ['public'] })
  const shellEnv = await aws.listen()
  aws.alarms['Skillgate-dev-AgentsHurt'] = 'OK'
  aws.outputs = { GatewayTableName: 'Gateway' }
  aws.newest['Mcp'] = '8'
  const resource = (type: string, id: string) =>
    ok(
      `<r><member><PhysicalResourceId>${id}</PhysicalResourceId><ResourceType>${type}</ResourceType></member></r>`,
    )
  const list = (part: string) => `cloudformation POST / ListStackResources Skillgate-dev-${part}`
  const preflight = await startStandIn({
    'sts POST / GetCallerIdentity': ok('<Arn>arn</Arn><Account>111111111111</Account>'),
    'lambda GET /2016-08-19/account-settings/': ok(
      '{"AccountLimit":{"ConcurrentExecutions":10,"UnreservedConcurrentExecutions":10}}',
    ),
    'apigateway GET /account': ok('{}'),
    [list('Gateway')]: resource('AWS::Lambda::Function', 'fn-Mcp'),
    [list('Watch')]: resource('AWS::SNS::Topic', 'arn:aws:sns:eu-central-1:111111111111:Alarms'),
  })
  await readFacts(environmentOf(preflight.endpoint), stage)
  const shifted = await runIn(
    async (shell) => {
      await readLiveWords(stage, shell)
      await releaseStage({ name: 'dev', canaryMinutes: 1 }, shell, async () => {})
      return rollbackStage({ stage: 'dev', to: undefined }, shell, async () => {})
    },
    { env: shellEnv },
  )
  expect(shifted.code).toBe(0)
  asked = [...preflight.asked, ...aws.asked]
  preflight.stop()
  aws.close()
})
afterAll(() => vi.unstubAllEnvs())

function rightsOf(kind: 'Deploy' | 'Plan'): readonly string[] {
  const policies = Object.entries(template.findResources('AWS::IAM::Policy'))
  return policies
    .filter(([id]) => id.startsWith(kind))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
    .flatMap(({ Action }: { readonly Action: string | readonly string[] }) => Action)
}

/** The requests by a client of the SDK, as its commands name them. */
function listSdkActions(): readonly string[] {
  const names = readFileSync(WELCOME, 'utf8').matchAll(/new (\w+)Command\(/g)
  return [...names].map(([, name]) => `secretsmanager:${name}`)
}

test('a deploy, its preflight and a rollback need the rights that the deploying role has, and no other', () => {
  const unknown = asked.filter((one) => !ACTIONS.some(([pattern]) => pattern.test(one)))
  expect(unknown).toEqual([])
  const needed = asked.flatMap((one) => ACTIONS.find(([pattern]) => pattern.test(one))?.[1] ?? [])
  const all = new Set(['sts:AssumeRole', ...needed, ...listSdkActions()])
  expect([...new Set(rightsOf('Deploy'))].toSorted()).toEqual([...all].toSorted())
})

test('the secrets and the record of releases have the tags by which the roles find them', () => {
  const { data, gateway } = synthesize(stage, env)
  const tagged = [
    ...resourcesOf(data, 'AWS::SecretsManager::Secret'),
    ...resourcesOf(gateway, 'AWS::SecretsManager::Secret'),
    ...resourcesOf(gateway, 'AWS::SSM::Parameter'),
  ].map(([, { Tags }]) => JSON.stringify(Tags))
  const list = '[{"Key":"Project","Value":"skillgate"},{"Key":"Stage","Value":"dev"}]'
  expect(tagged).toEqual([list, list, list, '{"Project":"skillgate","Stage":"dev"}'])
})

test('each right of stage dev ends where stage dev-eu begins', () => {
  const policies = Object.values(template.findResources('AWS::IAM::Policy'))
  const statements = policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
  const wide = statements.filter(({ Condition, Resource }) => {
    const names = JSON.stringify(Resource)
    // A name is whole, or ends before what CloudFormation adds to that of a stack.
    const isNamed = !/\*/.test(names) || /Skillgate-dev-(?:Data|Gateway|Watch)[-/]\*/.test(names)
    const isTagged = Condition?.StringEquals?.['aws:ResourceTag/Stage'] === 'dev'
    return !isNamed && !isTagged && !names.includes('cdk-bootstrap/')
  })
  // What an account has once, or reads by names that nobody can guess.
  expect(wide.map(({ Action }) => Action)).toEqual(
    Array(2).fill([
      'apigateway:GET',
      'cloudwatch:DescribeAlarms',
      'lambda:GetAccountSettings',
      'sns:ListSubscriptionsByTopic',
    ]),
  )
})
