/** The REST API in front of the admin door. */
import { describe, expect, test } from 'vitest'
import { getStage } from '../../lib/stages.ts'
import { type Properties, resourcesOf, synthesize, type Template } from './synthesized.ts'

const DEV = synthesize(getStage('dev')).gateway
const KEEP = synthesize({
  ...getStage('dev'),
  apiLogRole: 'keep',
  adminRequestsPerSec: 7,
  adminRequestsBurst: 9,
}).gateway

function only(template: Template, type: string): Properties {
  const found = resourcesOf(template, type)
  expect(found).toHaveLength(1)
  return found[0]?.[1] ?? {}
}

test('the admin API is regional, with one stage v1, so that paths begin with /v1/admin', () => {
  expect(only(DEV, 'AWS::ApiGateway::RestApi')).toMatchObject({
    EndpointConfiguration: { Types: ['REGIONAL'] },
  })
  expect(only(DEV, 'AWS::ApiGateway::Stage')).toMatchObject({
    StageName: 'v1',
  })
  const parts = resourcesOf(DEV, 'AWS::ApiGateway::Resource').map(([, { PathPart }]) => PathPart)
  expect(parts).toEqual([
    'admin',
    '{proxy+}',
    'me',
    '{proxy+}',
    'console',
    '{proxy+}',
    'catalog',
    '.well-known',
    'oauth-protected-resource',
    'admin',
  ])
})

test('the admin API passes its paths to the function, the files of the console by GET and HEAD, and nothing else', () => {
  const methods = resourcesOf(DEV, 'AWS::ApiGateway::Method').map(([, method]) => method)
  for (const method of methods) {
    expect(method).toMatchObject({
      Integration: { Type: 'AWS_PROXY', Uri: { 'Fn::Join': ['', expect.anything()] } },
    })
  }
  const callers = resourcesOf(DEV, 'AWS::Lambda::Permission')
    .map(([, permission]) => permission)
    .filter(({ Principal }) => Principal === 'apigateway.amazonaws.com')
  const paths = callers.map(
    ({ SourceArn }) => /"(\/[^"]*)"\]\]/.exec(JSON.stringify(SourceArn))?.[1],
  )
  expect(paths).toEqual([
    '/*/admin/*',
    '/DELETE/admin/*',
    '/GET/me',
    '/*/me/*',
    '/DELETE/me/*',
    '/POST/console/*',
    '/GET/console/*',
    '/HEAD/console/*',
    '/GET/console',
    '/HEAD/console',
    '/GET/catalog',
    '/HEAD/catalog',
    '/GET/.well-known/oauth-protected-resource/admin',
  ])
  expect(methods).toHaveLength(paths.length)
  expect(callers.map(({ FunctionName }) => FunctionName)).toEqual(
    Array(paths.length).fill({ Ref: expect.stringMatching(/^AdminAliaslive/) }),
  )
})

describe('the throttling of the admin API', () => {
  const settingsOf = (template: Template) =>
    only(template, 'AWS::ApiGateway::Stage')['MethodSettings']

  test('holds for revocations by themselves and for all other methods, as the stage says', () => {
    const all = { HttpMethod: '*', ResourcePath: '/*' }
    const revocations = ['admin', 'me'].map((of) => ({
      HttpMethod: 'DELETE',
      ResourcePath: `/~1${of}~1{proxy+}`,
    }))
    const limitsOf = (ThrottlingRateLimit: number, ThrottlingBurstLimit: number) =>
      [all, ...revocations].map((place) =>
        expect.objectContaining({ ...place, ThrottlingRateLimit, ThrottlingBurstLimit }),
      )
    expect(settingsOf(DEV)).toEqual(limitsOf(10, 20))
    expect(settingsOf(KEEP)).toEqual(limitsOf(7, 9))
  })

  test('comes with logs of errors that hold no bodies and no headers', () => {
    const quiet = expect.objectContaining({ LoggingLevel: 'ERROR', DataTraceEnabled: false })
    expect(settingsOf(DEV)).toEqual([quiet, quiet, quiet])
  })
})

describe('the addresses of callers', () => {
  test('all addresses are let in unless the stage names some', () => {
    expect(only(DEV, 'AWS::ApiGateway::RestApi')['Policy']).toBeUndefined()
  })

  test('addresses that the stage names are let in, and no other', () => {
    const cidrs = ['203.0.113.0/24', '2001:db8::/32']
    const { gateway } = synthesize({ ...getStage('dev'), adminAllowedCidrs: cidrs })
    expect(only(gateway, 'AWS::ApiGateway::RestApi')['Policy']).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { AWS: '*' },
          Action: 'execute-api:Invoke',
          Resource: 'execute-api:/*',
          Condition: { IpAddress: { 'aws:SourceIp': cidrs } },
        },
      ],
    })
  })
})

describe('access logs', () => {
  test('are JSON, and do not name users: no path, no query, no header', () => {
    const { Format } = only(DEV, 'AWS::ApiGateway::Stage')['AccessLogSetting'] as { Format: string }
    expect(JSON.parse(Format)).toEqual({
      requestId: '$context.requestId',
      requestTime: '$context.requestTime',
      ip: '$context.identity.sourceIp',
      method: '$context.httpMethod',
      resource: '$context.resourcePath',
      status: '$context.status',
      responseBytes: '$context.responseLength',
      latencyMs: '$context.responseLatency',
    })
  })

  test('expire, and so do the ones that API Gateway would make without an end', () => {
    const groups = resourcesOf(DEV, 'AWS::Logs::LogGroup').filter(([id]) =>
      id.startsWith('AdminApi'),
    )
    expect(groups.map(([, group]) => [group['RetentionInDays'], group['LogGroupName']])).toEqual([
      [14, undefined],
      [
        14,
        { 'Fn::Join': ['', ['API-Gateway-Execution-Logs_', { Ref: 'AdminApiB3376E39' }, '/v1']] },
      ],
    ])
  })
})

describe('the role by which API Gateway logs', () => {
  const account = (template: Template) =>
    Object.entries(template.Resources).filter(([, { Type }]) => Type === 'AWS::ApiGateway::Account')

  test('is set before the stage is made, and stays, since the account needs it on', () => {
    const [[id, { DeletionPolicy }] = ['', { DeletionPolicy: undefined }]] = account(DEV)
    expect(DeletionPolicy).toBe('Retain')
    const [stage] = Object.values(DEV.Resources).filter(
      ({ Type }) => Type === 'AWS::ApiGateway::Stage',
    )
    expect(stage?.DependsOn).toContain(id)
    const roles = Object.entries(DEV.Resources).filter(([name]) =>
      name.startsWith('AdminApiLogRole'),
    )
    expect(roles.map(([, role]) => role.DeletionPolicy)).toEqual(['Retain'])
  })

  test('is left alone when the stage keeps the role of the account', () => {
    expect(account(KEEP)).toEqual([])
    expect(Object.keys(KEEP.Resources).filter((id) => id.includes('LogRole'))).toEqual([])
  })
})

test('the admin API is found at an output that ends in /v1/admin', () => {
  expect(JSON.stringify(DEV.Outputs['AdminUrl']?.Value)).toMatch(
    /^\{"Fn::Join":\["",\["https:\/\/",.*\{"Ref":"AdminApiDeploymentStagev1AB248157"\},"\/admin"\]\]\}$/,
  )
})
