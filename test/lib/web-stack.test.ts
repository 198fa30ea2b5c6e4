/**
 * The stack of `-c streams=web`: what it deploys, what it may do, and that the other stacks do not change. No test can
 * show that AWS takes it.
 */
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import { describe, expect, it } from 'vitest'
import { CONCURRENT_REQUESTS_MAX, REQUEST_SEC_MAX } from '../../lambdas/web/limits.ts'
import { addStacks } from '../../lib/gateway-app.ts'
import { judgeByRulePacks } from '../../lib/nag.ts'
import { stageNamed, streamsNamed } from '../../lib/stages.ts'
import { newApp, resourcesOf, stubBundles, synthesize, type Template } from './synthesized.ts'

const plain = synthesize(stageNamed('dev'))
const shared = synthesize(stageNamed('dev'), {}, 'web')
const web = webOf(shared)

function webOf({ web: template }: { readonly web?: Template }): Template {
  if (template === undefined) throw new Error('there is no web stack')
  return template
}

/** Logical ids that a template's `Ref` and `Fn::GetAtt` name. */
function namedIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    if (name === 'Ref' && typeof inner === 'string') return [inner]
    if (name === 'Fn::GetAtt' && Array.isArray(inner)) return [String(inner[0])]
    return namedIn(inner)
  })
}

function statementsOf(template: Template, role: string): unknown[] {
  return resourcesOf(template, 'AWS::IAM::Policy').flatMap(([, { PolicyDocument, Roles }]) =>
    JSON.stringify(Roles).includes(`"${role}`)
      ? (PolicyDocument as { Statement: unknown[] }).Statement
      : [],
  )
}

describe('the stacks without the flag', () => {
  it('the stacks are the three of before, without a resource or an output of the Web Function', () => {
    expect(plain.assembly.stacks.map(({ stackName }) => stackName).sort()).toEqual([
      'Skillgate-dev-Data',
      'Skillgate-dev-Gateway',
      'Skillgate-dev-Watch',
    ])
    const all = JSON.stringify([plain.data, plain.gateway, plain.watch])
    expect(all).not.toMatch(/WebFunction|WebRole|WebLogs/)
  })

  it('the stacks have the same resources with the flag, and only export more', () => {
    expect(shared.data.Resources).toEqual(plain.data.Resources)
    expect(shared.gateway.Resources).toEqual(plain.gateway.Resources)
    expect(shared.watch).toEqual(plain.watch)
    const before = Object.keys(plain.gateway.Outputs)
    const more = Object.keys(shared.gateway.Outputs).filter((name) => !before.includes(name))
    expect(more.filter((name) => !name.startsWith('ExportsOutput'))).toEqual([])
  })
})

describe('the web stack', () => {
  it('the web stack tells the platform the limits that the server has', () => {
    const [revision] = resourcesOf(web, 'AWS::Lambda::WebFunctionRevision')
    expect(revision?.[1]).toMatchObject({
      BuildConfig: { RuntimeConfig: { Runtime: 'nodejs24.x' } },
      ServiceConfig: {
        EnvironmentVariables: {
          AWS_LAMBDA_NODEJS_ENTRYPOINT: 'index.mjs',
          NODE_OPTIONS: '--max-semi-space-size=1',
        },
        MaxConcurrencyPerEnvironment: CONCURRENT_REQUESTS_MAX,
        TimeoutSeconds: REQUEST_SEC_MAX,
      },
    })
    expect([CONCURRENT_REQUESTS_MAX, REQUEST_SEC_MAX]).toEqual([128, 900])
  })

  it('the web stack has one public endpoint, whose URLs are its outputs', () => {
    expect(resourcesOf(web, 'AWS::Lambda::WebFunctionEndpoint').map(([, made]) => made)).toEqual([
      expect.objectContaining({
        AuthType: 'ApplicationManaged',
        EndpointType: 'HomeRegion',
        ScalingConfig: { MaxEnvironments: 10 },
      }),
    ])
    expect(Object.keys(web.Outputs).sort()).toEqual(['WebLogsName', 'WebMcpUrl', 'WebSseUrl'])
  })

  it('the web stack gives its role what sse may do, on its own log', () => {
    const own = (statements: unknown[]) =>
      statements
        .filter((one) => !JSON.stringify(one).includes('logs:'))
        .map((one) => JSON.stringify(one).replace(/\{"(Ref|Fn::ImportValue)":"[^"]*"\}/g, '…'))
        .sort()
    const ofWeb = statementsOf(web, 'WebRole')
    expect(ofWeb.length).toBeGreaterThan(8)
    expect(own(ofWeb)).toEqual(own(statementsOf(shared.gateway, 'SseRole')))
    expect(JSON.stringify(ofWeb)).not.toMatch(/kms:|secretsmanager:|s3:/)
  })

  it('the web stack names no resource that another stack has but by importing it', () => {
    const known = new Set([...Object.keys(web.Resources), 'BootstrapVersion'])
    const foreign = namedIn(web).filter((id) => !known.has(id) && !id.startsWith('AWS::'))
    expect(foreign).toEqual([])
  })

  it('the web stack gives the server an environment from which it can be configured', () => {
    const [revision] = resourcesOf(web, 'AWS::Lambda::WebFunctionRevision')
    expect(revision?.[1]).toMatchObject({
      ServiceConfig: {
        EnvironmentVariables: {
          EXECUTE_IAM_URL: expect.anything(),
          GATEWAY_TABLE: expect.anything(),
          MCP_URL: expect.anything(),
          MESSAGES_URL: expect.anything(),
          REPLY_TAIL: 'dynamodb-streams',
          SESSIONS_STREAM_ARN: expect.anything(),
          SESSIONS_TABLE: expect.anything(),
          // Ten environments of 128 requests.
          SSE_CONCURRENCY: '1280',
          SKILLGATE_STAGE: 'dev',
        },
      },
    })
  })

  it('the web stack counts the log lines of streams in the metrics whose alarms the stage has', () => {
    const filters = resourcesOf(web, 'AWS::Logs::MetricFilter').map(
      ([, { MetricTransformations }]) =>
        (MetricTransformations as { MetricName: string; MetricNamespace: string }[]).map(
          ({ MetricName, MetricNamespace }) => `${MetricNamespace} ${MetricName}`,
        ),
    )
    const ofSse = resourcesOf(shared.watch, 'AWS::Logs::MetricFilter')
      .filter(([id]) => /Insse/.test(id))
      .map(([, { MetricTransformations }]) =>
        (MetricTransformations as { MetricName: string; MetricNamespace: string }[]).map(
          ({ MetricName, MetricNamespace }) => `${MetricNamespace} ${MetricName}`,
        ),
      )
    expect(filters.sort()).toEqual(ofSse.sort())
    expect(filters).toHaveLength(3)
  })

  it.each(['dev', 'prod'])('the web stack of %s passes synth with every rule pack', (name) => {
    const app = newApp()
    const env = { account: '111111111111', region: 'eu-central-1' }
    const stage = stageNamed(name)
    addStacks(app, { stage, env, streams: 'web', bundles: stubBundles() })
    judgeByRulePacks(app)
    expect(() => app.synth()).not.toThrow()
    const findings = [new AwsSolutionsChecks(app), new ServerlessChecks(app)].flatMap((pack) =>
      pack.validateScope(app).violations.map(({ ruleName }) => ruleName),
    )
    expect(findings).toEqual([])
  })
})

it('an unknown value of the flag is refused with the known ones', () => {
  expect(() => streamsNamed('webs')).toThrow('streams: is "webs"; give one of functions, web')
  expect([streamsNamed(undefined), streamsNamed('web')]).toEqual(['functions', 'web'])
})
