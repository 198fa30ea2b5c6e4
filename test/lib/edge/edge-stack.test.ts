/** The distribution and its web ACL, as CloudFormation gets them. */
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../adapters/config/env.ts'
import { HEARTBEAT_MS } from '../../../core/session/stream-plan.ts'
import { DOOR_SIZES } from '../../../lib/door-sizes.ts'
import { addStacks } from '../../../lib/gateway-app.ts'
import type { Stage } from '../../../lib/stage.ts'
import { getStage } from '../../../lib/stages.ts'
import { newApp, resourcesOf, stubBundles, type Template } from '../synthesized.ts'
import { EDGE_ENV, EDGE_STAGE } from './edge-stage.ts'

function synthesizeEdge(stage: Stage) {
  const app = newApp()
  addStacks(app, { stage, env: EDGE_ENV, bundles: stubBundles() })
  const assembly = app.synth()
  const find = (part: string): Template | undefined =>
    assembly.stacks.find(({ stackName }) => stackName === `Skillgate-${stage.name}-${part}`)
      ?.template
  return { edge: find('Edge'), global: find('EdgeGlobal'), gateway: find('Gateway') }
}

const { edge, gateway, global } = synthesizeEdge(EDGE_STAGE)

function only(template: Template | undefined, type: string) {
  const found = template === undefined ? [] : resourcesOf(template, type)
  expect(found).toHaveLength(1)
  return found[0]?.[1] ?? {}
}

type Behavior = {
  readonly PathPattern?: string
  readonly TargetOriginId: string
  readonly CachePolicyId: unknown
  readonly OriginRequestPolicyId?: string
  readonly AllowedMethods: readonly string[]
  readonly Compress: boolean
  readonly ViewerProtocolPolicy: string
  readonly FunctionAssociations: readonly { readonly EventType: string }[]
}
type Origin = {
  readonly Id: string
  readonly ConnectionAttempts: number
  readonly CustomOriginConfig: { readonly OriginReadTimeout: number }
  readonly OriginAccessControlId?: string
  readonly OriginCustomHeaders: readonly { readonly HeaderName: string; HeaderValue: unknown }[]
}
type Config = {
  readonly Aliases: readonly string[]
  readonly CacheBehaviors: readonly Behavior[]
  readonly DefaultCacheBehavior: Behavior
  readonly Origins: readonly Origin[]
}

const { DistributionConfig: given } = only(edge, 'AWS::CloudFront::Distribution')
const config = given as Config
const behaviors = [...config.CacheBehaviors, config.DefaultCacheBehavior]
const isCached = ({ CachePolicyId }: Behavior) => typeof CachePolicyId !== 'string'

/** Patterns of the behaviours that have this cache policy, by the id of its construct. */
function cachedBy(policy: string): readonly (string | undefined)[] {
  const refersToPolicy = ({ CachePolicyId }: Behavior) =>
    new RegExp(`"Ref":"${policy}[0-9A-F]{8}"`).test(JSON.stringify(CachePolicyId))
  return behaviors.filter(refersToPolicy).map(({ PathPattern }) => PathPattern)
}

function policyOf(policy: string): unknown {
  const found = edge === undefined ? [] : resourcesOf(edge, 'AWS::CloudFront::CachePolicy')
  return found.find(([id]) => id.startsWith(policy))?.[1]['CachePolicyConfig']
}

describe('the distribution', () => {
  test('has the domain, TLS 1.2 of 2021, HTTP/2 and HTTP/3, and IPv6', () => {
    expect(config).toMatchObject({
      Aliases: ['mcp.example.com'],
      HttpVersion: 'http2and3',
      IPV6Enabled: true,
      ViewerCertificate: { MinimumProtocolVersion: 'TLSv1.2_2021' },
    })
  })

  test('sends each path to the function that serves it', () => {
    expect(
      behaviors.map(({ PathPattern, TargetOriginId }) => [PathPattern, TargetOriginId]),
    ).toEqual([
      ['/.well-known/*', 'mcp'],
      ['/v1/.well-known/*', 'admin'],
      ['/v1/admin/*', 'admin'],
      ['/v1/me*', 'admin'],
      ['/v1/console/sign-in*', 'admin'],
      ['/v1/console*', 'admin'],
      ['/v1/catalog*', 'admin'],
      ['/v1/mcp/sse*', 'sse'],
      ['/v1/mcp/messages*', 'sse'],
      ['/v1/execute*', 'execute'],
      ['/', 'sse'],
      ['/healthz', 'sse'],
      [undefined, 'mcp'],
    ])
  })

  test('caches well-known documents, by the origin of a page and by nothing else', () => {
    expect(cachedBy('Documents')).toEqual(['/.well-known/*', '/v1/.well-known/*'])
    expect(policyOf('Documents')).toMatchObject({
      MaxTTL: 300,
      ParametersInCacheKeyAndForwardedToOrigin: {
        CookiesConfig: { CookieBehavior: 'none' },
        HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['Origin'] },
        QueryStringsConfig: { QueryStringBehavior: 'none' },
      },
    })
  })

  test('caches the console and the catalog for as long as their headers say, and no longer', () => {
    expect(cachedBy('Files')).toEqual(['/v1/console*', '/v1/catalog*'])
    expect(policyOf('Files')).toMatchObject({
      MinTTL: 0,
      DefaultTTL: 0,
      MaxTTL: 31_536_000,
      ParametersInCacheKeyAndForwardedToOrigin: {
        CookiesConfig: { CookieBehavior: 'none' },
        EnableAcceptEncodingGzip: true,
        HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['Origin'] },
        QueryStringsConfig: { QueryStringBehavior: 'all' },
      },
    })
  })

  test('takes no body where it caches, and forwards no credential there', () => {
    for (const one of behaviors.filter(isCached)) {
      expect(one.AllowedMethods).toEqual(['GET', 'HEAD', 'OPTIONS'])
      expect(one.OriginRequestPolicyId).toBeUndefined()
    }
  })

  test('passes every method and header but Host to doors that are not cached', () => {
    for (const one of behaviors.filter((behavior) => !isCached(behavior))) {
      expect(one.AllowedMethods).toContain('POST')
      // AWS's ids of CachingDisabled and AllViewerExceptHostHeader.
      expect(one.CachePolicyId).toBe('4135ea2d-6df8-44a3-9df3-4b5a84be39ad')
      expect(one.OriginRequestPolicyId).toBe('b689b0a8-53d0-40ab-baf2-68738e2966ac')
    }
  })

  test('compresses no stream, takes https alone, and runs the viewer function before each request', () => {
    const compressed = behaviors.filter(({ Compress }) => Compress)
    expect(compressed.map(({ PathPattern }) => PathPattern)).toEqual([
      '/v1/console*',
      '/v1/catalog*',
    ])
    for (const { FunctionAssociations, ViewerProtocolPolicy } of behaviors) {
      expect(ViewerProtocolPolicy).toBe('https-only')
      expect(FunctionAssociations.map(({ EventType }) => EventType)).toEqual(['viewer-request'])
    }
  })

  test('waits for origins longer than their streams and the admin API are silent', () => {
    const timeouts = config.Origins.map(({ CustomOriginConfig }) => CustomOriginConfig)
    expect(timeouts.map(({ OriginReadTimeout }) => OriginReadTimeout)).toEqual([60, 60, 60, 60])
    expect(HEARTBEAT_MS * 2).toBeLessThan(60_000)
    expect(DOOR_SIZES.admin.timeoutSec).toBeLessThan(60)
  })

  test('tries each connection once, and signs no request, since a POST would need the digest of its body', () => {
    expect(config.Origins.map(({ ConnectionAttempts }) => ConnectionAttempts)).toEqual([1, 1, 1, 1])
    expect(JSON.stringify(edge)).not.toContain('OriginAccessControl')
  })

  test('proves itself to every origin by a value that no template has', () => {
    for (const { OriginCustomHeaders } of config.Origins) {
      expect(OriginCustomHeaders.map(({ HeaderName }) => HeaderName)).toEqual(['x-origin-secret'])
      expect(JSON.stringify(OriginCustomHeaders)).toMatch(
        /\{\{resolve:secretsmanager:.*:SecretString:current::\}\}/,
      )
    }
  })
})

describe('the domain', () => {
  test('points at the distribution by IPv4 and IPv6 records of its own name', () => {
    const records = edge === undefined ? [] : resourcesOf(edge, 'AWS::Route53::RecordSet')
    expect(records.map(([, { HostedZoneId, Name, Type }]) => [HostedZoneId, Name, Type])).toEqual([
      ['Z0123456789ABCDEFGHIJ', 'mcp.example.com.', 'A'],
      ['Z0123456789ABCDEFGHIJ', 'mcp.example.com.', 'AAAA'],
    ])
  })

  test('has its certificate in us-east-1, validated in the zone', () => {
    expect(only(global, 'AWS::CertificateManager::Certificate')).toMatchObject({
      DomainName: 'mcp.example.com',
      DomainValidationOptions: [
        { DomainName: 'mcp.example.com', HostedZoneId: 'Z0123456789ABCDEFGHIJ' },
      ],
    })
    expect(config).toMatchObject({
      ViewerCertificate: {
        AcmCertificateArn: {
          'Fn::GetStackOutput': { StackName: 'Skillgate-dev-EdgeGlobal', Region: 'us-east-1' },
        },
      },
    })
  })

  test('may have a certificate and a DNS of its own, and then needs no stack in us-east-1', () => {
    const { edgeHostedZoneId: _, ...rest } = EDGE_STAGE
    const edgeCertificateArn = 'arn:aws:acm:us-east-1:111111111111:certificate/abc'
    const made = synthesizeEdge({
      ...rest,
      edgeHostedZoneId: undefined,
      edgeCertificateArn,
      edgeFirewall: 'off',
    })
    expect(made.global).toBeUndefined()
    const { DistributionConfig } = only(made.edge, 'AWS::CloudFront::Distribution')
    expect(DistributionConfig).toMatchObject({
      ViewerCertificate: { AcmCertificateArn: edgeCertificateArn },
    })
    expect(DistributionConfig).not.toHaveProperty('WebACLId')
    expect(JSON.stringify(made.edge)).not.toContain('AWS::Route53')
  })
})

type Rule = {
  readonly Name: string
  readonly Action?: object
  readonly OverrideAction?: object
  readonly Statement: object
}
const rulesOf = (template: Template | undefined) =>
  only(template, 'AWS::WAFv2::WebACL')['Rules'] as readonly Rule[]

describe('the web ACL', () => {
  test('counts at first, and refuses nothing', () => {
    expect(
      rulesOf(global).map(({ Action, Name, OverrideAction }) => [Name, Action ?? OverrideAction]),
    )
      // In the order of their priorities.
      .toEqual([
        ['Rate', { Count: {} }],
        ['AWSManagedRulesAmazonIpReputationList', { Count: {} }],
        ['AWSManagedRulesKnownBadInputsRuleSet', { Count: {} }],
      ])
  })

  test('refuses where the stage says so, a flood by 429, after which clients wait', () => {
    const made = synthesizeEdge({ ...EDGE_STAGE, edgeFirewall: 'block', edgeRequestsPerIp: 5_000 })
    expect(rulesOf(made.global)).toMatchObject([
      {
        Action: { Block: { CustomResponse: { ResponseCode: 429 } } },
        Statement: { RateBasedStatement: { Limit: 5_000, EvaluationWindowSec: 300 } },
      },
      { OverrideAction: { None: {} } },
      { OverrideAction: { None: {} } },
    ])
  })

  test('has no rule that reads a body of a tool, a call or a skill', () => {
    const [, , inputs] = rulesOf(global)
    expect(inputs?.Statement).toMatchObject({
      ManagedRuleGroupStatement: {
        ScopeDownStatement: {
          NotStatement: {
            Statement: {
              OrStatement: {
                Statements: [
                  {
                    ByteMatchStatement: {
                      SearchString: '/mcp',
                      PositionalConstraint: 'STARTS_WITH',
                    },
                  },
                  {
                    ByteMatchStatement: {
                      SearchString: '/v1/',
                      PositionalConstraint: 'STARTS_WITH',
                    },
                  },
                ],
              },
            },
          },
        },
      },
    })
    expect(JSON.stringify(global)).not.toContain('CommonRuleSet')
  })

  test('keeps no sample of a request, which would have its key', () => {
    expect(JSON.stringify(global)).not.toContain('"SampledRequestsEnabled":true')
  })
})

describe('the doors of a stage with an edge', () => {
  const variablesOf = (door: string, template = gateway) => {
    const functions = template === undefined ? [] : resourcesOf(template, 'AWS::Lambda::Function')
    const found = functions.find(([, { Description }]) =>
      String(Description).endsWith(`the ${door} door`),
    )
    const environment = found?.[1]['Environment'] as
      | { Variables: { [name: string]: unknown } }
      | undefined
    return environment?.Variables ?? {}
  }

  test('that clients reach are told where the accepted values are, and no others', () => {
    const told = ['sse', 'messages', 'mcp', 'execute', 'admin', 'sweep', 'usage'].filter(
      (door) => 'EDGE_SECRET_ID' in variablesOf(door),
    )
    expect(told).toEqual(['sse', 'mcp', 'execute', 'admin'])
    expect(variablesOf('mcp')).toMatchObject({
      EDGE_SECRET_ID: { Ref: expect.stringMatching(/^EdgeSecret/) },
    })
  })

  test.each([true, false])('read whether they serve direct requests (%s)', (edgeDirectUrls) => {
    const made = synthesizeEdge({ ...EDGE_STAGE, edgeDirectUrls })
    const credentials = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' }
    const texts = Object.entries(variablesOf('mcp', made.gateway)).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : name,
    ])
    const env = { ...Object.fromEntries(texts), ...credentials, AWS_REGION: 'eu-central-1' }
    expect(readConfig(env, ['edge'])).toMatchObject({
      value: {
        edge: {
          secretId: 'EDGE_SECRET_ID',
          servesDirect: edgeDirectUrls,
          endpoint: new URL('https://secretsmanager.eu-central-1.amazonaws.com'),
        },
      },
    })
  })

  test('name the edge in every text', () => {
    expect(variablesOf('mcp')).toMatchObject({
      PUBLIC_ORIGIN: 'https://mcp.example.com',
      EXECUTE_URL: 'https://mcp.example.com/v1/execute',
    })
    expect(variablesOf('sse')).toMatchObject({
      EXECUTE_URL: 'https://mcp.example.com/v1/execute',
      MCP_URL: 'https://mcp.example.com/mcp',
    })
    expect(variablesOf('admin')).toMatchObject({ ADMIN_URL: 'https://mcp.example.com/v1/admin' })
    expect(gateway?.Outputs).toMatchObject({
      SseUrl: { Value: 'https://mcp.example.com/' },
      McpUrl: { Value: 'https://mcp.example.com/mcp' },
      ExecuteUrl: { Value: 'https://mcp.example.com/' },
      AdminUrl: { Value: 'https://mcp.example.com/v1/admin' },
      ConsoleUrl: { Value: 'https://mcp.example.com/v1/console/' },
    })
  })

  test('have nothing of it in a stage without an edge', () => {
    const made = synthesizeEdge(getStage('dev'))
    expect([made.edge, made.global]).toEqual([undefined, undefined])
    expect(JSON.stringify(made.gateway)).not.toMatch(/Edge/)
  })
})

test('a stage with an edge and no region is refused, because its stacks are in two', () => {
  expect(() => addStacks(newApp(), { stage: EDGE_STAGE, env: {}, bundles: stubBundles() })).toThrow(
    'edgeDomain: needs the region of the stage; sign in to AWS, or set AWS_REGION',
  )
})
