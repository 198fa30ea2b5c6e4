/**
 * The REST API in front of the admin function: regional, one stage `v1`, everything under `/admin/`
 * to one function, with a throttle of their own for revocations. The function checks credentials, not the API. Bodies,
 * headers and paths are not logged, because a path names users. Bound by docs/service.md, Doors.
 */
import { RemovalPolicy } from 'aws-cdk-lib'
import * as apigateway from 'aws-cdk-lib/aws-apigateway'
import * as iam from 'aws-cdk-lib/aws-iam'
import type * as lambda from 'aws-cdk-lib/aws-lambda'
import * as logs from 'aws-cdk-lib/aws-logs'
import { Construct, type IConstruct } from 'constructs'
import type { Stage } from './stage.ts'

/** External paths are `/v1/admin/…`; the stage is their first segment. */
const API_STAGE = 'v1'
const ALL_ROUTES = '{proxy+}'

export class AdminApi extends Construct {
  readonly api: apigateway.RestApi
  /** The role for API Gateway's logs; undefined when the account keeps its own. */
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
      ...policyOf(stage),
      deployOptions: {
        stageName: API_STAGE,
        ...methodSettings(stage),
        methodOptions: { [`/admin/${ALL_ROUTES}/DELETE`]: methodSettings(stage) },
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
    this.url = this.api.urlForPath('/admin')
    this.logRole = stage.apiLogRole === 'create' ? logRoleOf(this) : undefined
    const needs: IConstruct[] = [executionLogs(this, this.api, stage)]
    if (this.logRole !== undefined) needs.push(accountSetting(this, this.logRole))
    for (const need of needs) this.api.deploymentStage.node.addDependency(need)
  }
}

/**
 * API Gateway throttles each method by itself, and settings of one method replace those of the stage. Every
 * revocation is a DELETE, so a flood of other requests leaves its throttle alone.
 */
function methodSettings(stage: Stage): apigateway.MethodDeploymentOptions {
  return {
    throttlingRateLimit: stage.adminRequestsPerSec,
    throttlingBurstLimit: stage.adminRequestsBurst,
    // INFO would log the path and query of each request.
    loggingLevel: apigateway.MethodLoggingLevel.ERROR,
    dataTraceEnabled: false,
  }
}

/**
 * Only these addresses, where the stage names any: API Gateway refuses all others with 403 and calls no function
 * for them. AWS does not say whether such requests count against the throttle.
 */
function policyOf({ adminAllowedCidrs }: Stage): { policy?: iam.PolicyDocument } {
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
 * Created here with a retention time; otherwise API Gateway creates the group and keeps logs for
 * ever.
 */
function executionLogs(scope: Construct, api: apigateway.RestApi, stage: Stage): logs.LogGroup {
  return new logs.LogGroup(scope, 'ExecutionLogs', {
    ...logOptions(stage),
    logGroupName: `API-Gateway-Execution-Logs_${api.restApiId}/${API_STAGE}`,
  })
}

/**
 * API Gateway logs with one role per account and region; the last writer sets it. Role and setting
 * are retained when the stack goes, because other APIs of the account may log with them.
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

/**
 * The actions of AmazonAPIGatewayPushToCloudWatchLogs; API Gateway refuses a role that lacks one.
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

function logOptions(stage: Stage): logs.LogGroupProps {
  return {
    retention: stage.logRetentionDays,
    removalPolicy: stage.keepLogs ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  }
}

/**
 * `$context.path` is left out, because it names users. The function logs its work by request id.
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
