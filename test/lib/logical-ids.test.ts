/**
 * Resources that must never be replaced keep their logical id: agents have a function URL's host in their
 * settings, and a table that is made again is empty. A change here is a change for users.
 */
import { expect, test } from 'vitest'
import { getStage } from '../../lib/stages.ts'
import { EMULATED_STAGE } from '../localstack/config.ts'
import { synthesize, type Template } from './synthesized.ts'

const SYNTHESIZED = [getStage('dev'), getStage('prod'), EMULATED_STAGE].map((stage) => ({
  name: stage.name,
  ...synthesize(stage),
}))

/** Logical id to type, of the types that are listed. */
function idsOf(template: Template, types: readonly string[]): { [id: string]: string } {
  return Object.fromEntries(
    Object.entries(template.Resources).flatMap(([id, { Type }]) =>
      types.includes(Type) ? [[id, Type]] : [],
    ),
  )
}

test.each(SYNTHESIZED)(
  '$name keeps the logical ids of tables, archive, key and secrets',
  ({ data }) => {
    // Where data is not retained, a function of the CDK empties the bucket before it goes.
    const kept = Object.values(data.Resources)
      .map(({ Type }) => Type)
      .filter((type) => !/^(Custom|AWS::Lambda|AWS::IAM)::/.test(type))
    expect(idsOf(data, kept)).toEqual({
      Gateway43CB3636: 'AWS::DynamoDB::GlobalTable',
      Sessions8896A56D: 'AWS::DynamoDB::GlobalTable',
      ArchiveBucket49F1AC64: 'AWS::S3::Bucket',
      ArchiveBucketPolicy13E3D5ED: 'AWS::S3::BucketPolicy',
      UserSecretsKey2286F2D5: 'AWS::KMS::Key',
      AdminSecretB9452750: 'AWS::SecretsManager::Secret',
      InternalSecretD0FF93EA: 'AWS::SecretsManager::Secret',
    })
  },
)

test.each(SYNTHESIZED)('$name keeps the logical ids of URLs and aliases', ({ gateway }) => {
  const kept = [
    'AWS::Lambda::Function',
    'AWS::Lambda::Alias',
    'AWS::Lambda::Url',
    'AWS::ApiGateway::RestApi',
    'AWS::ApiGateway::Stage',
  ]
  expect(idsOf(gateway, kept)).toEqual({
    Execute9719B345: 'AWS::Lambda::Function',
    ExecuteAliaspublicA6A32225: 'AWS::Lambda::Alias',
    ExecuteAliaspublicFunctionUrl2AC99A98: 'AWS::Lambda::Url',
    ExecuteAliasinternalDFCF2201: 'AWS::Lambda::Alias',
    ExecuteAliasinternalFunctionUrl8A7029F7: 'AWS::Lambda::Url',
    Messages804FA4EB: 'AWS::Lambda::Function',
    AdminAliaslive51DE4C43: 'AWS::Lambda::Alias',
    SweepAliaslive99E56BF7: 'AWS::Lambda::Alias',
    UsageAliaslive4044CA06: 'AWS::Lambda::Alias',
    MessagesAliasinternal7A6E3BEB: 'AWS::Lambda::Alias',
    MessagesAliasinternalFunctionUrl8CF19428: 'AWS::Lambda::Url',
    SseACC7738E: 'AWS::Lambda::Function',
    SseAliaspublic3F1A354A: 'AWS::Lambda::Alias',
    SseAliaspublicFunctionUrl1EFF39A0: 'AWS::Lambda::Url',
    Mcp32112EE5: 'AWS::Lambda::Function',
    McpAliaspublicE1353A3B: 'AWS::Lambda::Alias',
    McpAliaspublicFunctionUrlCE37112B: 'AWS::Lambda::Url',
    AdminC75D2A91: 'AWS::Lambda::Function',
    AdminApiB3376E39: 'AWS::ApiGateway::RestApi',
    AdminApiDeploymentStagev1AB248157: 'AWS::ApiGateway::Stage',
    Sweep576358E8: 'AWS::Lambda::Function',
    Usage04F2BA28: 'AWS::Lambda::Function',
  })
})
