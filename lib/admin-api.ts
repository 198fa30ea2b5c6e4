/**
 * The REST API in front of the admin door: regional, one stage `v1`, everything under `/admin/` to
 * one function, throttled as a whole. It authorizes nobody (the door does) and logs no bodies, no
 * headers and no paths, since a path names users. Bound by docs/service.md, Doors.
 */
import { RemovalPolicy } from 'aws-cdk-lib'
import * as apigateway from 'aws-cdk-lib/aws-apigateway'
import * as iam from 'aws-cdk-lib/aws-iam'
import type * as lambda from 'aws-cdk-lib/aws-lambda'
import * as logs from 'aws-cdk-lib/aws-logs'
import { Construct, type IConstruct } from 'constructs'
import type { Stage } from './stage.ts'

/** External paths are `/v1/admin/…`: the stage gives the first segment. */
const API_STAGE = 'v1'

export class AdminApi extends Construct {
  readonly api: apigateway.RestApi
  /** Logs for the whole account; undefined where the account keeps its own. */
  readonly logRole: iam.Role | undefined
  /** Ends in `/v1/admin`. */
  readonly url: string

  constructor(scope: Construct, id: string, props: { stage: Stage; door: lambda.Function }) {
    super(scope, id)
    const { stage, door } = props
    const accessLogs = new logs.LogGroup(this, 'AccessLogs', logOptions(stage))
    this.api = new apigateway.RestApi(this, 'Api', {
      restApiName: `skillgate-${stage.name}-admin`,
      description: `Skillgate ${stage.name}: administration`,
      endpointTypes: [apigateway.EndpointType.REGIONAL],
      deployOptions: {
        stageName: API_STAGE,
        throttlingRateLimit: stage.adminRequestsPerSec,
        throttlingBurstLimit: stage.adminRequestsBurst,
        // INFO would write the request's path and query for each request.
        loggingLevel: apigateway.MethodLoggingLevel.ERROR,
        dataTraceEnabled: false,
        tracingEnabled: true,
        accessLogDestination: new apigateway.LogGroupLogDestination(accessLogs),
        accessLogFormat: apigateway.AccessLogFormat.custom(ACCESS_LOG_FORMAT),
      },
    })
    // CDK's own output of the URL, beside ours, would be a second name for one thing.
    this.api.node.tryRemoveChild('Endpoint')
    const integration = new apigateway.LambdaIntegration(door, { allowTestInvoke: false })
    const proxy = this.api.root.addResource('admin').addResource('{proxy+}')
    proxy.addMethod('ANY', integration)
    this.url = this.api.urlForPath('/admin')
    this.logRole = stage.apiLogRole === 'create' ? logRoleOf(this) : undefined
    const needs: IConstruct[] = [executionLogs(this, this.api, stage)]
    if (this.logRole !== undefined) needs.push(accountSetting(this, this.logRole))
    for (const need of needs) this.api.deploymentStage.node.addDependency(need)
  }
}

/** API Gateway makes this group itself, with no end of retention, unless it is there before the stage. */
function executionLogs(scope: Construct, api: apigateway.RestApi, stage: Stage): logs.LogGroup {
  return new logs.LogGroup(scope, 'ExecutionLogs', {
    ...logOptions(stage),
    logGroupName: `API-Gateway-Execution-Logs_${api.restApiId}/${API_STAGE}`,
  })
}

/**
 * API Gateway logs by one role per account and region, whoever set it last. Both are retained: the
 * setting stays when the stack goes, and other APIs would log by a role that is no more.
 */
function logRoleOf(scope: Construct): iam.Role {
  const statement = new iam.PolicyStatement({ actions: LOG_ACTIONS, resources: ['*'] })
  const role = new iam.Role(scope, 'LogRole', {
    assumedBy: new iam.ServicePrincipal('apigateway.amazonaws.com'),
    inlinePolicies: { Logs: new iam.PolicyDocument({ statements: [statement] }) },
  })
  role.applyRemovalPolicy(RemovalPolicy.RETAIN)
  return role
}

function accountSetting(scope: Construct, role: iam.Role): apigateway.CfnAccount {
  const account = new apigateway.CfnAccount(scope, 'Account', { cloudWatchRoleArn: role.roleArn })
  account.applyRemovalPolicy(RemovalPolicy.RETAIN)
  return account
}

/** Those of AmazonAPIGatewayPushToCloudWatchLogs: API Gateway refuses a role that lacks one. */
const LOG_ACTIONS = [
  'logs:CreateLogGroup',
  'logs:CreateLogStream',
  'logs:DescribeLogGroups',
  'logs:DescribeLogStreams',
  'logs:PutLogEvents',
  'logs:GetLogEvents',
  'logs:FilterLogEvents',
]

function logOptions(stage: Stage): logs.LogGroupProps {
  return {
    retention: stage.logRetentionDays,
    removalPolicy: stage.keepLogs ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  }
}

/** `$context.path` is left out: it names users. The door logs what it did, by request id. */
const ACCESS_LOG_FORMAT = JSON.stringify({
  requestId: '$context.requestId',
  requestTime: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  resource: '$context.resourcePath',
  status: '$context.status',
  responseBytes: '$context.responseLength',
  latencyMs: '$context.responseLatency',
  traceId: '$context.xrayTraceId',
})
