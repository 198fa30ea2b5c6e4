/**
 * The distribution before all doors, with a domain of the operator's. Origins are the public
 * function URLs and the admin API, which refuse requests without the header that is added here. It
 * signs no request to an origin (OAC), because then every POST would need the digest of its body
 * from the client. Bound by docs/edge.md and ADR 0133.
 */
import {
  CfnOutput,
  CrossStackReferences,
  Duration,
  Fn,
  ReferenceStrength,
  Stack,
  type StackProps,
} from 'aws-cdk-lib'
import * as acm from 'aws-cdk-lib/aws-certificatemanager'
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront'
import * as origins from 'aws-cdk-lib/aws-cloudfront-origins'
import * as route53 from 'aws-cdk-lib/aws-route53'
import { CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets'
import type { Construct } from 'constructs'
import { ORIGIN_SECRET_HEADER } from '../../core/settings/edge-headers.ts'
import type { GatewayStack } from '../gateway-stack.ts'
import type { Stage } from '../stage.ts'
import { type EdgeGlobalStack, findEdgeZone } from './edge-global-stack.ts'
import type { Entrances } from './edge-origin.ts'
import { makeViewerCode } from './viewer-code.ts'

export type EdgeStackProps = StackProps & {
  readonly stage: Stage
  readonly gateway: GatewayStack
  readonly global: EdgeGlobalStack | undefined
}

type EdgeDoor = keyof Entrances

/**
 * Silence after which CloudFront gives an origin up. Streams write every 5 s, and the admin API
 * answers within 29 s.
 */
const READ_TIMEOUT = Duration.seconds(60)
/** Longer than agents pause between two calls, so that most calls find a connection. */
const KEEPALIVE_TIMEOUT = Duration.seconds(60)
/** Documents change with a deploy alone; the doors say the same of theirs. */
const DOCUMENTS_TTL = Duration.seconds(300)

/** The longest time that an answer may ask for: files of the console never change. */
const FILES_TTL_MAX = Duration.days(365)

type Cache = 'documents' | 'files'

/** In this order; every other path is of the door mcp. */
const PATHS: readonly {
  readonly pattern: string
  readonly door: EdgeDoor
  readonly cache?: Cache
}[] = [
  { pattern: '/.well-known/*', door: 'mcp', cache: 'documents' },
  { pattern: '/v1/.well-known/*', door: 'admin', cache: 'documents' },
  { pattern: '/v1/admin/*', door: 'admin' },
  { pattern: '/v1/me*', door: 'admin' },
  { pattern: '/v1/console/sign-in*', door: 'admin' },
  { pattern: '/v1/console*', door: 'admin', cache: 'files' },
  { pattern: '/v1/catalog*', door: 'admin', cache: 'files' },
  { pattern: '/v1/mcp/sse*', door: 'sse' },
  { pattern: '/v1/mcp/messages*', door: 'sse' },
  { pattern: '/v1/execute*', door: 'execute' },
  // What the gateway is, and its health: the canary's upstream.
  { pattern: '/', door: 'sse' },
  { pattern: '/healthz', door: 'sse' },
]

export class EdgeStack extends Stack {
  readonly distribution: cloudfront.Distribution

  constructor(scope: Construct, id: string, props: EdgeStackProps) {
    super(scope, id, props)
    // Strong references across regions would be custom resources with functions of their own.
    CrossStackReferences.of(this).consume(ReferenceStrength.WEAK)
    const { global, stage } = props
    const domain = stage.edgeDomain ?? ''
    const certificateArn = global?.certificateArn ?? stage.edgeCertificateArn ?? ''
    const toBehavior = this.makeBehaviors(props)
    this.distribution = new cloudfront.Distribution(this, 'Distribution', {
      comment: `Skillgate ${stage.name}`,
      domainNames: [domain],
      certificate: acm.Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      minimumProtocolVersion: cloudfront.SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: cloudfront.HttpVersion.HTTP2_AND_3,
      enableIpv6: true,
      ...(global?.webAclArn === undefined ? {} : { webAclId: global.webAclArn }),
      defaultBehavior: toBehavior('mcp'),
      additionalBehaviors: Object.fromEntries(
        PATHS.map(({ cache, door, pattern }) => [pattern, toBehavior(door, cache)]),
      ),
    })
    this.addRecords(stage)
    new CfnOutput(this, 'EdgeDistributionId', { value: this.distribution.distributionId })
    new CfnOutput(this, 'EdgeDistributionName', {
      value: this.distribution.distributionDomainName,
    })
    new CfnOutput(this, 'EdgeSecretId', { value: props.gateway.edgeSecret?.secretArn ?? '' })
  }

  private makeBehaviors({ gateway, stage }: EdgeStackProps) {
    const viewer = new cloudfront.Function(this, 'Viewer', {
      comment: `Skillgate ${stage.name}: names the client, and challenges one without a credential`,
      runtime: cloudfront.FunctionRuntime.JS_2_0,
      code: cloudfront.FunctionCode.fromInline(makeViewerCode(stage)),
    })
    const policies = this.makeCachePolicies(stage)
    const { CACHING_DISABLED } = cloudfront.CachePolicy
    const byDoor = new Map<EdgeDoor, cloudfront.IOrigin>()
    const toOrigin = (door: EdgeDoor) => {
      const made = byDoor.get(door) ?? makeOrigin(gateway, door)
      byDoor.set(door, made)
      return made
    }
    return (door: EdgeDoor, cache?: Cache): cloudfront.BehaviorOptions => ({
      origin: toOrigin(door),
      // A client that follows a redirect to https drops its key, and has sent it in the clear.
      viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
      allowedMethods:
        cache === undefined
          ? cloudfront.AllowedMethods.ALLOW_ALL
          : cloudfront.AllowedMethods.ALLOW_GET_HEAD_OPTIONS,
      cachePolicy: cache === undefined ? CACHING_DISABLED : policies[cache],
      ...(cache === undefined
        ? { originRequestPolicy: cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER }
        : {}),
      // CloudFront would hold events back to compress them. The doors of agents compress theirs.
      compress: cache === 'files',
      functionAssociations: [
        { eventType: cloudfront.FunctionEventType.VIEWER_REQUEST, function: viewer },
      ],
    })
  }

  /** Answers to pages name the page's origin, so each origin has copies of its own. */
  private makeCachePolicies(stage: Stage): { readonly [C in Cache]: cloudfront.CachePolicy } {
    const headerBehavior = cloudfront.CacheHeaderBehavior.allowList('Origin')
    return {
      documents: new cloudfront.CachePolicy(this, 'Documents', {
        comment: `Skillgate ${stage.name}: well-known documents`,
        minTtl: Duration.seconds(0),
        defaultTtl: DOCUMENTS_TTL,
        maxTtl: DOCUMENTS_TTL,
        headerBehavior,
      }),
      files: new cloudfront.CachePolicy(this, 'Files', {
        comment: `Skillgate ${stage.name}: the console and the catalog, as their headers say`,
        minTtl: Duration.seconds(0),
        defaultTtl: Duration.seconds(0),
        maxTtl: FILES_TTL_MAX,
        headerBehavior,
        queryStringBehavior: cloudfront.CacheQueryStringBehavior.all(),
        enableAcceptEncodingGzip: true,
        enableAcceptEncodingBrotli: true,
      }),
    }
  }

  /** The operator's own DNS points at the distribution if Route 53 does not have the domain. */
  private addRecords(stage: Stage): void {
    const zone = findEdgeZone(this, stage)
    if (zone === undefined) return
    const target = route53.RecordTarget.fromAlias(new CloudFrontTarget(this.distribution))
    new route53.ARecord(this, 'Ipv4', { zone, target })
    new route53.AaaaRecord(this, 'Ipv6', { zone, target })
  }
}

function makeOrigin({ edgeSecret, entrances }: GatewayStack, door: EdgeDoor): cloudfront.IOrigin {
  if (edgeSecret === undefined) throw new Error('the gateway has no secret for its edge')
  // CloudFormation reads the value when it deploys; no template has it.
  const secret = edgeSecret.secretValueFromJson('current').unsafeUnwrap()
  // Of https://HOST/…
  const host = Fn.select(2, Fn.split('/', entrances[door]))
  return new origins.HttpOrigin(host, {
    originId: door,
    protocolPolicy: cloudfront.OriginProtocolPolicy.HTTPS_ONLY,
    originSslProtocols: [cloudfront.OriginSslPolicy.TLS_V1_2],
    readTimeout: READ_TIMEOUT,
    keepaliveTimeout: KEEPALIVE_TIMEOUT,
    // Calls are paid, and a client knows better than CloudFront whether to send one again.
    connectionAttempts: 1,
    customHeaders: { [ORIGIN_SECRET_HEADER]: secret },
  })
}
