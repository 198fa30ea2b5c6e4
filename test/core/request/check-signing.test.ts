import { describe, expect, test } from 'vitest'
import { findDenial, findHostError } from '../../../core/request/check-signing.ts'
import { isCustomerHost } from '../../../core/settings/customer-hosts.ts'

const hostError = (host: string, service: string, region: string, outboundAllow: string[] = []) =>
  findHostError(`https://${host}/a`, { service, region }, { outboundAllow })

describe('signatures', () => {
  test.each([
    ['dynamodb.eu-north-1.amazonaws.com', 'dynamodb', 'eu-north-1'],
    ['123456789012.ddb.eu-north-1.amazonaws.com', 'dynamodb', 'eu-north-1'],
    ['dynamodb.eu-north-1.api.aws', 'dynamodb', 'eu-north-1'],
    ['sqs.us-gov-west-1.amazonaws.com', 'sqs', 'us-gov-west-1'],
    ['sqs.cn-north-1.amazonaws.com.cn', 'sqs', 'cn-north-1'],
    ['sqs.eusc-de-east-1.amazonaws.eu', 'sqs', 'eusc-de-east-1'],
    ['s3.eu-north-1.amazonaws.com', 's3', 'eu-north-1'],
    ['my.bucket.s3.eu-north-1.amazonaws.com', 's3', 'eu-north-1'],
    ['bucket.s3.dualstack.eu-north-1.amazonaws.com', 's3', 'eu-north-1'],
    ['bucket.s3.amazonaws.com', 's3', 'us-east-1'],
    ['iam.amazonaws.com', 'iam', 'us-east-1'],
    ['bedrock-runtime.eu-north-1.amazonaws.com', 'bedrock', 'eu-north-1'],
    ['bedrock-agentcore.us-east-1.amazonaws.com', 'bedrock-agentcore', 'us-east-1'],
    [
      'tools-x1.gateway.bedrock-agentcore.us-east-1.amazonaws.com',
      'bedrock-agentcore',
      'us-east-1',
    ],
    ['abc123.execute-api.eu-north-1.amazonaws.com', 'execute-api', 'eu-north-1'],
    ['abc123.lambda-url.eu-north-1.on.aws', 'lambda', 'eu-north-1'],
    ['abc123.appsync-api.eu-north-1.amazonaws.com', 'appsync', 'eu-north-1'],
    ['search-logs-x1.eu-north-1.es.amazonaws.com', 'es', 'eu-north-1'],
    ['svc-0a1.7d67968.vpc-lattice-svcs.us-east-1.on.aws', 'vpc-lattice-svcs', 'us-east-1'],
  ])('may go to %s', (host, service, region) => {
    expect(hostError(host, service, region)).toBeUndefined()
  })

  test.each([
    ['evil.amazonaws.com.example', 's3', 'eu-north-1'],
    ['amazonaws.com', 's3', 'us-east-1'],
    ['dynamodb.eu-north-1.amazonaws.com.evil.example', 'dynamodb', 'eu-north-1'],
    ['dynamodb.eu-north-1.evil-amazonaws.com', 'dynamodb', 'eu-north-1'],
    ['dynamodb-eu-north-1.amazonaws.com', 'dynamodb', 'eu-north-1'],
    ['dynamodb.us-east-2.amazonaws.com', 'dynamodb', 'us-east-1'],
    ['dynamodb.eu-north-1.amazonaws.com', 'dynamodb', 'us-east-1'],
    ['sqs.cn-north-1.amazonaws.com', 'sqs', 'cn-north-1'],
    ['ec2-1-2-3-4.eu-north-1.compute.amazonaws.com', 'ec2', 'eu-north-1'],
    ['ec2-1-2-3-4.compute-1.amazonaws.com', 'ec2', 'us-east-1'],
    ['lb-1.elb.eu-north-1.amazonaws.com', 'elasticloadbalancing', 'eu-north-1'],
    ['lb-1.eu-north-1.elb.amazonaws.com', 'elasticloadbalancing', 'eu-north-1'],
    ['x.vfs.cloud9.eu-north-1.amazonaws.com', 'cloud9', 'eu-north-1'],
    ['vpce-0a.dynamodb.eu-north-1.vpce.amazonaws.com', 'dynamodb', 'eu-north-1'],
    ['bucket.s3-website.eu-north-1.amazonaws.com', 's3', 'eu-north-1'],
    ['abc123.execute-api.eu-north-1.amazonaws.com', 'dynamodb', 'eu-north-1'],
    ['abc123.lambda-url.eu-north-1.on.aws', 's3', 'eu-north-1'],
    ['abc123.lambda-url.us-east-1.on.aws', 'lambda', 'eu-north-1'],
    ['lambda-url.eu-north-1.on.aws', 'lambda', 'eu-north-1'],
    ['evil.on.aws', 'lambda', 'eu-north-1'],
    ['x.execute-api.amazonaws.com', 'execute-api', 'us-east-1'],
    ['api.example.com', 'execute-api', 'eu-north-1'],
  ])('do not go to %s for %s in %s', (host, service, region) => {
    expect(hostError(host, service, region)).toContain(`is no endpoint of AWS for ${service}`)
  })

  test('go to a host that the operator allows', () => {
    expect(hostError('api.corp', 'execute-api', 'eu-north-1', ['api.corp'])).toBeUndefined()
  })
})

describe('the own identity of the gateway', () => {
  const denial = (host: string, service: string, rules: object = {}) =>
    findDenial(
      `https://${host}/`,
      { service, region: 'eu-north-1' },
      { outboundAllow: [], signedAccess: [], ...rules },
    )

  test('signs only for hosts that are listed', () => {
    const host = 'abc123.execute-api.eu-north-1.amazonaws.com'
    expect(denial(host, 'execute-api')).toContain('does not sign for abc123')
    expect(denial(host, 'execute-api', { signedAccess: [host] })).toBeUndefined()
  })

  test('signs for an allow-listed host that is not one of AWS', () => {
    expect(denial('api.corp', 'dynamodb', { outboundAllow: ['api.corp'] })).toBeUndefined()
    const endpoint = 'vpce-0a.dynamodb.eu-north-1.vpce.amazonaws.com'
    expect(denial(endpoint, 'dynamodb', { outboundAllow: [endpoint] })).toContain(
      `does not sign for ${endpoint}`,
    )
  })

  test.each([
    ['abc123.execute-api.eu-north-1.amazonaws.com', true],
    ['abc123.lambda-url.eu-north-1.on.aws', true],
    ['dynamodb.eu-north-1.amazonaws.com', false],
    ['lambda.eu-north-1.amazonaws.com', false],
    ['execute-api.eu-north-1.amazonaws.com', false],
  ])('can be listed for %s on a stage: %s', (host, expected) => {
    expect(isCustomerHost(host)).toBe(expected)
  })
})
