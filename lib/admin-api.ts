/**
 * The REST API in front of the admin function: regional, one stage `v1`. Everything under
 * `/admin/`, `/me/` and `/console/`, and the public `/catalog`, goes to one function; revocations
 * have a throttle of their own. The function checks credentials, not the API. Bodies, headers and
 * paths are not logged, because a path names users. Bound by docs/service.md, Doors.
 */
import { RemovalPolicy } from 'aws-cdk-lib'
import * as apigateway from 'aws-cdk-lib/aws-apigateway'
import * as iam from 'aws-cdk-lib/aws-iam'
import type * as lambda from 'aws-cdk-lib/aws-lambda'
import * as logs from 'aws-cdk-lib/aws-logs'
import { Construct, type IConstruct } from 'constructs'
import type { Stage } from './stage.ts'

/** The first segment of external paths: `/v1/admin/…`. */
const API_STAGE = 'v1'
const ALL_ROUTES = '{proxy+}'

export class AdminApi extends Construct {
  readonly api: apigateway.RestApi
  /** The role for API Gateway's logs; undefined if the account keeps its own. */
  readonly logRole: iam.Role | undefined
  /** The URL of the API; ends in `/v1/admin`. */
  readonly url: string
  /** The URL of the console; ends in `/v1/console/`. */
  readonly consoleUrl: string

  constructor(scope: Construct, id: string, props: { stage: Stage; door: lambda.IFunction }) {
    super(scope, id)
    const { stage, door } = props
    const accessLogs = new logs.LogGroup(this, 'AccessLogs', toLogOptions(stage))
    this.api = new apigateway.RestApi(this, 'Api', {
      restApiName: `skillgate-${stage.name}-admin`,
      description: `Skillgate ${stage.name}: administration`,
      endpointTypes: [apigateway.EndpointType.REGIONAL],
      ...toPolicy(stage),
      deployOptions: {
        stageName: API_STAGE,
        ...toMethodSettings(stage),
        methodOptions: {
          [`/admin/${ALL_ROUTES}/DELETE`]: toMethodSettings(stage),
          [`/me/${ALL_ROUTES}/DELETE`]: toMethodSettings(stage),
        },
        accessLogDestination: new apigateway.LogGroupLogDestination(accessLogs),
        accessLogFormat: apigateway.AccessLogFormat.custom(ACCESS_LOG_FORMAT),
      },
    })
    // CDK's own output of the URL would give one URL two names.
    this.api.node.tryRemoveChild('Endpoint')
    const integration = new apigateway.LambdaIntegration(door, { allowTestInvoke: false })
    const routes = this.api.root.addResource('admin').addResource(ALL_ROUTES)
    routes.addMethod('ANY', integration)
    routes.addMethod('DELETE', integration)
    const me = this.api.root.addResource('me')
    me.addMethod('GET', integration)
    const own = me.addResource(ALL_ROUTES)
    own.addMethod('ANY', integration)
    own.addMethod('DELETE', integration)
    // The page of the console needs the slash; without it, the function sends the browser there.
    const pages = this.api.root.addResource('console')
    const files = pages.addResource(ALL_ROUTES)
    // People sign in by it (lambdas/admin/console-sign-in.ts).
    files.addMethod('POST', integration)
    // The console shows the public list of tools, and asks its own origin alone.
    const catalog = this.api.root.addResource('catalog')
    for (const place of [pages, files, catalog]) {
      place.addMethod('GET', integration)
      place.addMethod('HEAD', integration)
    }
    // The metadata of people's sign-in. A REST API answers nothing before its stage, so they stand
    // after it, and the challenge of a 401 names their URL.
    const wellKnown = this.api.root.addResource('.well-known')
    wellKnown
      .addResource('oauth-protected-resource')
      .addResource('admin')
      .addMethod('GET', integration)
    this.url = this.api.urlForPath('/admin')
    this.consoleUrl = this.api.urlForPath('/console/')
    this.logRole = stage.apiLogRole === 'create' ? createLogRole(this) : undefined
    const needs: IConstruct[] = [createExecutionLogs(this, this.api, stage)]
    if (this.logRole !== undefined) needs.push(createAccountSetting(this, this.logRole))
    for (const need of needs) this.api.deploymentStage.node.addDependency(need)
  }
}

/**
 * Returns the settings of one method. API Gateway throttles each method separately, and settings of
 * a method replace those of the stage. Every revocation is a DELETE, so a flood of other requests
 * does not use up its throttle.
 */
function toMethodSettings(stage: Stage): apigateway.MethodDeploymentOptions {
  return {
    throttlingRateLimit: stage.adminRequestsPerSec,
    throttlingBurstLimit: stage.adminRequestsBurst,
    // The level INFO would log the path and query of each request.
    loggingLevel: apigateway.MethodLoggingLevel.ERROR,
    dataTraceEnabled: false,
  }
}

/**
 * Admits only the addresses that the stage names, if it names any. API Gateway refuses all others
 * with 403 and calls no function for them. AWS does not say whether such requests count in the
 * throttle.
 */
function toPolicy({ adminAllowedCidrs }: Stage): { policy?: iam.PolicyDocument } {
  if (adminAllowedCidrs.length === 0) return {}
  const statement = new iam.PolicyStatement({
    principals: [new iam.AnyPrincipal()],
    actions: ['execute-api:Invoke'],
    resources: ['execute-api:/*'],
    conditions: { IpAddress: { 'aws:SourceIp': adminAllowedCidrs } },
  })
  return { policy: new iam.PolicyDocument({ statements: [statement] }) }
}

/**
 * Creates the log group of executions with a retention time; otherwise API Gateway creates the
 * group and keeps logs for ever.
 */
function createExecutionLogs(
  scope: Construct,
  api: apigateway.RestApi,
  stage: Stage,
): logs.LogGroup {
  return new logs.LogGroup(scope, 'ExecutionLogs', {
    ...toLogOptions(stage),
    logGroupName: `API-Gateway-Execution-Logs_${api.restApiId}/${API_STAGE}`,
  })
}

/**
 * Creates the role for logs. API Gateway has one such role per account and region, and the last
 * writer sets it. Role and setting are retained when the stack is deleted, because other APIs of
 * the account may use them.
 */
function createLogRole(scope: Construct): iam.Role {
  const statement = new iam.PolicyStatement({ actions: LOG_ACTIONS, resources: ['*'] })
  const role = new iam.Role(scope, 'LogRole', {
    assumedBy: new iam.ServicePrincipal('apigateway.amazonaws.com'),
    inlinePolicies: { Logs: new iam.PolicyDocument({ statements: [statement] }) },
  })
  role.applyRemovalPolicy(RemovalPolicy.RETAIN)
  return role
}

function createAccountSetting(scope: Construct, role: iam.Role): apigateway.CfnAccount {
  const account = new apigateway.CfnAccount(scope, 'Account', { cloudWatchRoleArn: role.roleArn })
  account.applyRemovalPolicy(RemovalPolicy.RETAIN)
  return account
}

/**
 * The actions of AmazonAPIGatewayPushToCloudWatchLogs; API Gateway refuses a role that lacks one of
 * them.
 */
const LOG_ACTIONS = [
  'logs:CreateLogGroup',
  'logs:CreateLogStream',
  'logs:DescribeLogGroups',
  'logs:DescribeLogStreams',
  'logs:PutLogEvents',
  'logs:GetLogEvents',
  'logs:FilterLogEvents',
]

function toLogOptions(stage: Stage): logs.LogGroupProps {
  return {
    retention: stage.logRetentionDays,
    removalPolicy: stage.keepLogs ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  }
}

/**
 * The format of the access log. `$context.path` is left out, because paths name users. The function
 * logs its work by request id.
 */
const ACCESS_LOG_FORMAT = JSON.stringify({
  requestId: '$context.requestId',
  requestTime: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  resource: '$context.resourcePath',
  status: '$context.status',
  responseBytes: '$context.responseLength',
  latencyMs: '$context.responseLatency',
})
