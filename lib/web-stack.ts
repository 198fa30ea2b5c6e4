/**
 * `-c streams=web`: the Web Function web, which holds many streams in one environment, beside the functions that
 * stay. It may do what sse may: its table rights are those of sse, and it has none to make a call. Not measured on AWS.
 * Bound by ADR 0069.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  Annotations,
  CfnOutput,
  CfnResource,
  Duration,
  RemovalPolicy,
  Stack,
  type StackProps,
} from 'aws-cdk-lib'
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch'
import * as iam from 'aws-cdk-lib/aws-iam'
import * as lambda from 'aws-cdk-lib/aws-lambda'
import * as logs from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { DataStack } from './data-stack.ts'
import { tableNames } from './door-environment.ts'
import type { Door } from './doors.ts'
import { grantUrl } from './function-urls.ts'
import type { GatewayStack } from './gateway-stack.ts'
import { grantDoor, grantStreamTail } from './grants.ts'
import { LOG_COUNTS, type LogCount } from './log-counts.ts'
import type { Stage } from './stage.ts'
import { logCountsNamespace } from './watch-metrics.ts'
import { WEB_SIZES } from './web-sizes.ts'

export type WebStackProps = StackProps & {
  readonly stage: Stage
  readonly data: DataStack
  readonly gateway: GatewayStack
  /** Holds one folder per function. */
  readonly bundles: string
}

/** A public endpoint has no other bound than the account's: these are 1,280 requests at once, and that many environments' bill. */
export const WEB_ENVIRONMENTS_MAX = 10

/** Whose lines its log has. */
const SERVED: readonly Door[] = ['sse']

const UNMEASURED =
  'streams: web is not measured on AWS: neither its price nor how many streams share an environment. docs/deploy.md says how to ask.'

export class WebStack extends Stack {
  readonly web: lambda.WebFunction
  readonly role: iam.Role

  constructor(scope: Construct, id: string, props: WebStackProps) {
    super(scope, id, props)
    const { bundles, data, gateway, stage } = props
    const logGroup = new logs.LogGroup(this, 'WebLogs', {
      retention: stage.logRetentionDays,
      removalPolicy: stage.keepLogs ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    })
    this.role = new iam.Role(this, 'WebRole', {
      assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
    })
    logGroup.grantWrite(this.role)
    this.web = new lambda.WebFunction(this, 'Web', {
      revisionDescription: `Skillgate ${stage.name}: streams`,
      runtime: lambda.WebFunctionRuntime.NODEJS_24_X,
      code: lambda.WebFunctionCode.fromAssetToManagedBucket(bundleIn(bundles), {
        exclude: ['*.map'],
      }),
      entryPoint: 'index.mjs',
      role: this.role,
      logGroup,
      applicationLogLevel: lambda.ApplicationLogLevel.INFO,
      systemLogLevel: lambda.SystemLogLevel.WARN,
      timeout: Duration.seconds(WEB_SIZES.timeoutSec),
      maxConcurrencyPerEnvironment: WEB_SIZES.concurrentRequestsMax,
      // Agents have keys of the gateway, as at the public function URLs.
      defaultEndpointAuth: lambda.WebFunctionAuthType.APPLICATION_MANAGED,
      defaultEndpoint: { maxEnvironments: WEB_ENVIRONMENTS_MAX },
      environment: {
        ...tableNames(data),
        ...gateway.forStreams.environment,
        SKILLGATE_STAGE: stage.name,
        // Streams open up to 70 % of it, as in sse, whose own number is smaller.
        SSE_CONCURRENCY: String(WEB_ENVIRONMENTS_MAX * WEB_SIZES.concurrentRequestsMax),
        NODE_OPTIONS: WEB_SIZES.nodeOptions,
      },
    })
    nameCodeByContent(this.web)
    grantDoor('sse', this.role, { gateway: data.gatewayTable, sessions: data.sessionsTable })
    if (stage.replyTail === 'dynamodb-streams') grantStreamTail(this.role, data.sessionsStreamArn)
    for (const alias of gateway.forStreams.signed) grantUrl(this.role, alias)
    countLogLines(this, logGroup, stage.name)
    Annotations.of(this.web).addWarningV2('skillgate:web-unmeasured', UNMEASURED)
    const origin = `https://${this.web.endpoint.domainName}`
    new CfnOutput(this, 'WebSseUrl', { value: `${origin}/` })
    new CfnOutput(this, 'WebMcpUrl', { value: `${origin}/mcp` })
    new CfnOutput(this, 'WebLogsName', { value: logGroup.logGroupName })
  }
}

/**
 * CDK 2.276 names the copy of the code by the function's configuration too, and writes what that imports of other
 * stacks as resources of this one, which CloudFormation refuses. The name by content alone is its own default.
 */
function nameCodeByContent(web: lambda.WebFunction): void {
  for (const made of web.node.findAll()) {
    const isCopy = CfnResource.isCfnResource(made) && made.cfnResourceType === COPY_TYPE
    if (isCopy) made.addPropertyDeletionOverride('Configuration')
  }
}

const COPY_TYPE = 'Custom::S3ObjectCopy'

/** In the metrics of sse, so the alarms and the dashboard of the stage see them. */
function countLogLines(scope: Construct, logGroup: logs.LogGroup, stageName: string): void {
  const counts: [string, LogCount][] = Object.entries(LOG_COUNTS)
  for (const [metricName, { doors, pattern }] of counts) {
    if (!SERVED.some((door) => doors.includes(door))) continue
    new logs.MetricFilter(scope, `${metricName}InWeb`, {
      logGroup,
      filterPattern: logs.FilterPattern.literal(pattern),
      metricNamespace: logCountsNamespace(stageName),
      metricName,
      metricValue: '1',
      unit: cloudwatch.Unit.COUNT,
    })
  }
}

function bundleIn(bundles: string): string {
  const folder = join(bundles, 'web')
  if (existsSync(join(folder, 'index.mjs'))) return folder
  throw new Error('dist/web/index.mjs is not there: run "npm run bundle" first')
}
