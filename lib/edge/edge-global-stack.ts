/**
 * What CloudFront takes from us-east-1 alone: the certificate, if Route 53 has the domain, and the
 * web ACL. No rule reads bodies, because arguments of tools are code and HTML. Bound by
 * docs/edge.md.
 */
import { Stack, type StackProps } from 'aws-cdk-lib'
import * as acm from 'aws-cdk-lib/aws-certificatemanager'
import * as route53 from 'aws-cdk-lib/aws-route53'
import * as wafv2 from 'aws-cdk-lib/aws-wafv2'
import type { Construct } from 'constructs'
import type { Stage } from '../stage.ts'

export class EdgeGlobalStack extends Stack {
  /** Undefined if the stage names a certificate of its own. */
  readonly certificateArn: string | undefined
  /** Undefined without a firewall. */
  readonly webAclArn: string | undefined

  constructor(scope: Construct, id: string, props: StackProps & { readonly stage: Stage }) {
    super(scope, id, props)
    const { stage } = props
    const zone = findEdgeZone(this, stage)
    this.certificateArn =
      zone === undefined
        ? undefined
        : new acm.Certificate(this, 'Certificate', {
            domainName: zone.zoneName,
            validation: acm.CertificateValidation.fromDns(zone),
          }).certificateArn
    this.webAclArn = stage.edgeFirewall === 'off' ? undefined : addWebAcl(this, stage).attrArn
  }
}

/** The zone under the name of the domain itself, so that records without a name are the domain's. */
export function findEdgeZone(
  scope: Construct,
  { edgeDomain, edgeHostedZoneId }: Stage,
): route53.IHostedZone | undefined {
  if (edgeDomain === undefined || edgeHostedZoneId === undefined) return undefined
  return route53.HostedZone.fromHostedZoneAttributes(scope, 'Zone', {
    hostedZoneId: edgeHostedZoneId,
    zoneName: edgeDomain,
  })
}

/** AWS WAF's shortest window is a minute; five let an agent begin with a burst. */
const RATE_WINDOW_SEC = 300
const TOO_MANY = 429
/** Paths whose bodies are for tools and skills; no managed rule looks at their requests. */
const PATHS_OF_CONTENT = ['/mcp', '/v1/']

function addWebAcl(scope: Construct, stage: Stage): wafv2.CfnWebACL {
  const { edgeFirewall, edgeRequestsPerIp, name } = stage
  const blocks = edgeFirewall === 'block'
  return new wafv2.CfnWebACL(scope, 'WebAcl', {
    description: `Skillgate ${name}: before the distribution`,
    scope: 'CLOUDFRONT',
    defaultAction: { allow: {} },
    visibilityConfig: toVisibility('WebAcl'),
    rules: [
      {
        name: 'Rate',
        priority: 0,
        statement: {
          rateBasedStatement: {
            aggregateKeyType: 'IP',
            limit: edgeRequestsPerIp,
            evaluationWindowSec: RATE_WINDOW_SEC,
          },
        },
        // Clients wait after a 429, and take a 403 for the end.
        action: blocks ? { block: { customResponse: { responseCode: TOO_MANY } } } : { count: {} },
        visibilityConfig: toVisibility('Rate'),
      },
      toManagedRule('AWSManagedRulesAmazonIpReputationList', { priority: 1, blocks }),
      toManagedRule('AWSManagedRulesKnownBadInputsRuleSet', {
        priority: 2,
        blocks,
        scopeDownStatement: { notStatement: { statement: toPathsOfContent() } },
      }),
    ],
  })
}

function toManagedRule(
  name: string,
  {
    blocks,
    priority,
    ...statement
  }: {
    readonly priority: number
    readonly blocks: boolean
    readonly scopeDownStatement?: wafv2.CfnWebACL.StatementProperty
  },
): wafv2.CfnWebACL.RuleProperty {
  return {
    name,
    priority,
    statement: { managedRuleGroupStatement: { vendorName: 'AWS', name, ...statement } },
    overrideAction: blocks ? { none: {} } : { count: {} },
    visibilityConfig: toVisibility(name),
  }
}

function toPathsOfContent(): wafv2.CfnWebACL.StatementProperty {
  const statements = PATHS_OF_CONTENT.map((searchString) => ({
    byteMatchStatement: {
      fieldToMatch: { uriPath: {} },
      positionalConstraint: 'STARTS_WITH',
      searchString,
      textTransformations: [{ priority: 0, type: 'NONE' }],
    },
  }))
  return { orStatement: { statements } }
}

/** Samples would keep requests with their Authorization header. */
function toVisibility(metricName: string): wafv2.CfnWebACL.VisibilityConfigProperty {
  return { cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: false }
}
