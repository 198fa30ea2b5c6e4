/** Who may assume the roles of the workflow, and what they may do. */
import { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, test } from 'vitest'
import { isJsonObject } from '../../core/json/json.ts'
import { PipelineStack } from '../../lib/pipeline-stack.ts'
import { getStage } from '../../lib/stages.ts'
import { newApp, synthesize } from './synthesized.ts'

const env = { account: '111111111111', region: 'eu-central-1' }
const stage = { ...getStage('dev'), githubRepository: 'octocat-1/gateway-2' }
const stack = new PipelineStack(newApp(), 'Skillgate-dev-Pipeline', {
  env,
  stage,
  repository: stage.githubRepository,
})
const template = Template.fromStack(stack)

function roleOf(name: string): { readonly [field: string]: unknown } {
  const roles = Object.values(template.findResources('AWS::IAM::Role'))
  return roles.find(({ Properties }) => Properties.RoleName === name)?.['Properties']
}

/** Every action that the role's policies allow, with its resources as text. */
function rightsOf(kind: 'Deploy' | 'Plan'): readonly (readonly [string, string])[] {
  const policies = Object.entries(template.findResources('AWS::IAM::Policy'))
  const own = policies.filter(([id]) => id.startsWith(kind))
  return own.flatMap(([, { Properties }]) =>
    [Properties.PolicyDocument.Statement]
      .flat()
      .flatMap((one: Statement) =>
        [one.Action]
          .flat()
          .map((action): readonly [string, string] => [action, JSON.stringify(one)]),
      ),
  )
}

type Statement = { readonly Action: string | readonly string[] }

describe.each([
  ['Skillgate-dev-Deploy', 'repo:octocat-1/gateway-2:environment:dev'],
  ['Skillgate-dev-Plan', 'repo:octocat-1/gateway-2:environment:dev-plan'],
])('the role %s', (name, subject) => {
  test('is assumed by a token of one environment of one repository alone', () => {
    expect(roleOf(name)['AssumeRolePolicyDocument']).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Action: 'sts:AssumeRoleWithWebIdentity',
          Effect: 'Allow',
          Principal: {
            Federated:
              'arn:aws:iam::111111111111:oidc-provider/token.actions.githubusercontent.com',
          },
          Condition: {
            StringEquals: {
              'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
              'token.actions.githubusercontent.com:sub': subject,
            },
          },
        },
      ],
    })
  })
})

test('the role that plans changes nothing, and assumes the role that looks up alone', () => {
  const rights = rightsOf('Plan')
  const writes = rights.filter(
    ([action]) => !/^[a-z]+:(Describe|Get|List)|^apigateway:GET$|^sts:AssumeRole$/.test(action),
  )
  expect(writes).toEqual([])
  expect(rights.map(([action]) => action)).not.toContain('secretsmanager:GetSecretValue')
  const [, assumed] = rights.find(([action]) => action === 'sts:AssumeRole') ?? []
  expect(assumed).toContain('cdk-hnb659fds-lookup-role-111111111111-eu-central-1')
  expect(assumed).not.toContain('deploy-role')
})

test('the role that deploys changes aliases and stacks of its own stage alone', () => {
  const rights = new Map(rightsOf('Deploy'))
  expect(rights.get('lambda:UpdateAlias')).toContain(':function:Skillgate-dev-Gateway-*')
  expect(rights.get('cloudformation:UpdateStack')).toContain(':stack/Skillgate-dev-Gateway/*')
  expect(rights.get('secretsmanager:GetSecretValue')).toContain('"aws:ResourceTag/Stage":"dev"')
})

test('a stage without a repository has no roles for one', () => {
  const names = ({ assembly }: ReturnType<typeof synthesize>) =>
    assembly.stacks.map(({ stackName }) => stackName)
  expect(names(synthesize(getStage('dev')))).not.toContain('Skillgate-dev-Pipeline')
  expect(names(synthesize(stage, env))).toContain('Skillgate-dev-Pipeline')
  expect(isJsonObject(template.toJSON())).toBe(true)
})
