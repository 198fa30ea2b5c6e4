/**
 * Every accepted finding of cdk-nag (AwsSolutions, Serverless), one by one, with its reason. A
 * finding that is not listed fails `cdk synth`. Each is accepted on the smallest construct that has
 * it, so that the next construct with the same finding is reported again.
 */
import { type App, Token, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import type { IConstruct } from 'constructs'
import type { DataStack } from './data-stack.ts'
import type { Edge } from './edge/add-edge.ts'
import type { GatewayStack } from './gateway-stack.ts'
import { CALL_DOORS } from './grants.ts'
import { listFunctionArns } from './lambda-grants.ts'
import type { Stage } from './stage.ts'

type Reasons = { readonly [finding: string]: string }

/** Makes synth fail on every finding that is not accepted. */
export function addRulePacks(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app))
}

/** Accepts the listed findings on their constructs. */
export function acknowledgeFindings(data: DataStack, gateway: GatewayStack, stage: Stage): void {
  acknowledge(data.adminSecret, ADMIN_SECRET)
  acknowledge(data.internalSecret, ADMIN_SECRET)
  acknowledge(gateway.canarySecret, CANARY_SECRET)
  if (gateway.eventsSecret !== undefined) acknowledge(gateway.eventsSecret, EVENTS_SECRET)
  if (data.backup !== undefined) acknowledge(data.backup, BACKUP)
  if (gateway.edgeSecret !== undefined) acknowledge(gateway.edgeSecret, EDGE_SECRET)
  for (const door of Object.values(gateway.doors)) {
    acknowledge(door, DOOR)
  }
  const callerRole = gateway.doors.caller?.role
  if (callerRole !== undefined) acknowledge(callerRole, CALLER_ROLE)
  acknowledge(gateway.doors.sweep, SWEEP)
  acknowledgeReads(gateway)
  acknowledgeLambdaUpstreams(gateway, stage)
  acknowledge(gateway.sweepSchedule, SWEEP_SCHEDULE)
  if (gateway.doors.usage.role !== undefined)
    acknowledge(gateway.doors.usage.role, toUsageReasons(data))
  for (const door of CALL_DOORS) {
    const { role } = gateway.doors[door]
    if (role !== undefined) acknowledge(role, toResultReasons(data))
  }
  acknowledge(gateway.usageNews.lost, LOST_NEWS)
  acknowledge(gateway.doors.usage, TRAIL)
  acknowledge(gateway.usageNews.trailSchedule, TRAIL_SCHEDULE)
  if (gateway.syntheticCalls !== undefined) acknowledge(gateway.syntheticCalls, SYNTHETIC_CALLS)
  acknowledge(data.archive.bucket, ARCHIVE)
  acknowledge(gateway.adminApi.api, ADMIN_API)
  acknowledge(gateway.adminApi.api.deploymentStage, ADMIN_API_STAGE)
  for (const method of gateway.adminApi.api.methods) acknowledge(method, ADMIN_API_METHOD)
  if (gateway.adminApi.logRole !== undefined) acknowledge(gateway.adminApi.logRole, LOG_ROLE)
}

const NO_X_RAY =
  'Every log line has the trace id; X-Ray alone shows neither upstream nor store (docs/design/usage.md#trace-and-log).'

const ADMIN_SECRET: Reasons = {
  'AwsSolutions-SMG4':
    'Programs outside AWS hold it, so it is rotated by hand with two valid values (docs/operations.md).',
}

const EVENTS_SECRET: Reasons = {
  'AwsSolutions-SMG4':
    'The receiver of events holds it, so it is rotated by hand with two valid values (docs/operations.md).',
}

const EDGE_SECRET: Reasons = {
  'AwsSolutions-SMG4':
    'The distribution sends it, so skillgate edge rotate changes both, with two valid values meanwhile (docs/edge.md).',
}

const DISTRIBUTION: Reasons = {
  'AwsSolutions-CFR1': 'Agents come from the regions of their makers, wherever their people are.',
  'AwsSolutions-CFR2':
    'A stage with edgeFirewall off has no web ACL because its operator pays for none; the default has one.',
  'AwsSolutions-CFR3':
    'A line of an access log has the query of its request, and the query of a message names its session.',
}

/** Accepts the listed findings on the distribution of an edge. */
export function acknowledgeEdgeFindings({ edge }: Edge): void {
  acknowledge(edge.distribution, DISTRIBUTION)
}

const CANARY_SECRET: Reasons = {
  'AwsSolutions-SMG4':
    'A deploy writes the key of a user with a few credits into it, which ends after 30 days without use (docs/releases.md).',
}

const DOOR: Reasons = {
  'Serverless-LambdaDLQ':
    'Only schedules invoke sweep and usage asynchronously, and the next run does the work of a lost one.',
  'Serverless-LambdaTracing': NO_X_RAY,
}

const BY_AWS_BACKUP =
  'The policies that AWS keeps for the role of AWS Backup, which only that service may assume; the plan chooses one table, by a tag.'

const BACKUP: Reasons = Object.fromEntries(
  ['Backup', 'Restores'].map((work) => [
    `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyFor${work}]`,
    BY_AWS_BACKUP,
  ]),
)

const CALLER_ROLE: Reasons = {
  'AwsSolutions-IAM5[Resource::*]':
    'Lambda manages the network interfaces of a function in a VPC by its role, and EC2 gives most of these actions no resource. The code of the function itself is denied all of EC2.',
}

const SWEEP: Reasons = {
  'Serverless-LambdaAsyncFailureDestination':
    'An event says only that a minute has passed: the next one says the same, and an alarm watches for missing runs.',
}

const SWEEP_SCHEDULE: Reasons = {
  'Serverless-EventBusDLQ': 'A lost event need not be kept: the next run does its work.',
}

/**
 * Returns the archive's bucket as findings show it: as the gateway stack names it, and as its
 * template reads it from the data stack, by an output or, on an emulator, by an export.
 */
function toArchiveArns({ region, stackName }: DataStack): readonly string[] {
  const output = {
    StackName: stackName,
    Region: Token.isUnresolved(region) ? { Ref: 'AWS::Region' } : region,
    OutputName: 'PublishOutputFnGetAttArchiveBucket49F1AC64Arn3245A5DF',
  }
  return [
    '<ArchiveBucket49F1AC64.Arn>',
    JSON.stringify({ 'Fn::GetStackOutput': output }),
    `${stackName}:ExportsOutputFnGetAttArchiveBucket49F1AC64Arn3FBD647E`,
  ]
}
const NEW_NAMES =
  'It puts objects whose names are made of their content, and merges those of the ledger; the bucket keeps a version of each for 90 days.'

function toUsageReasons(data: DataStack): Reasons {
  const places = toArchiveArns(data).flatMap((arn) => [`${arn}/audit/*`, `${arn}/ledger/*`])
  return {
    'AwsSolutions-IAM5[Resource::*]':
      'dynamodb:ListStreams, which Lambda demands for the mapping, has no resource.',
    ...Object.fromEntries(
      places.map((place) => [`AwsSolutions-IAM5[Resource::${place}]`, NEW_NAMES]),
    ),
  }
}

const OWN_RESULTS =
  'It keeps results of calls and reads them again; their names are random, below the digest of their user.'

function toResultReasons(data: DataStack): Reasons {
  const places = toArchiveArns(data).map((arn) => `AwsSolutions-IAM5[Resource::${arn}/results/*]`)
  return Object.fromEntries(places.map((place) => [place, OWN_RESULTS]))
}

const TRAIL: Reasons = {
  'Serverless-LambdaAsyncFailureDestination':
    'A day that was not archived is archived by the next run, and an alarm watches for failures.',
}

const TRAIL_SCHEDULE: Reasons = {
  'Serverless-EventBusDLQ': 'A lost event need not be kept: the next run does its work.',
}

const SYNTHETIC_CALLS: Reasons = {
  'Serverless-EventBusDLQ': 'A lost event need not be kept: the next call says the same.',
}

const ARCHIVE: Reasons = {
  'AwsSolutions-S1':
    'Functions read only results of calls in it, and operators read it by their own roles, which CloudTrail can record; a bucket of logs would be another to watch.',
}

const LAST_QUEUE =
  'It is a dead-letter queue itself: an alarm watches it, and nothing consumes its messages.'

const LOST_NEWS: Reasons = {
  'AwsSolutions-SQS3': LAST_QUEUE,
  'Serverless-SQSRedrivePolicy': LAST_QUEUE,
}

const ADMIN_API: Reasons = {
  'AwsSolutions-APIG2':
    'The door judges every request by the schemas that its OpenAPI document shows; one of its bodies is not JSON.',
}

const ADMIN_API_STAGE: Reasons = {
  'Serverless-APIGWXrayEnabled': NO_X_RAY,
  'AwsSolutions-APIG3':
    'WAF costs from 6 USD a month before the first request. Stage throttling and 256-bit secrets hold without it; docs/deploy.md says how to put it in front.',
}

const ADMIN_API_METHOD: Reasons = {
  'AwsSolutions-APIG4':
    'The door checks the two admin secrets by route, in constant time, before it reads a body; an authorizer would need the same secrets a second time.',
  'AwsSolutions-COG4': 'Administrators are programs and people with a secret, not users of a pool.',
}

const LOG_ROLE: Reasons = {
  'AwsSolutions-IAM5[Resource::*]':
    'API Gateway uses it for the logs of every API of the account, and refuses a role that may do less.',
}

const NAMED_BY_STAGE =
  'The operator names these functions in lambdaUpstreams; a resource with an asterisk is a function with its versions and aliases, or a pattern of the operator.'
const ADMIN_READS =
  'Admin reads the alarms for GET health, and finds functions by their tags for an import; AWS shows composite alarms only to a permission for all resources, and tag:GetResources has no resource.'

function acknowledgeReads({ doors }: GatewayStack): void {
  const { role } = doors.admin
  if (role !== undefined) acknowledge(role, { 'AwsSolutions-IAM5[Resource::*]': ADMIN_READS })
}

function acknowledgeLambdaUpstreams(gateway: GatewayStack, { lambdaUpstreams }: Stage): void {
  if (lambdaUpstreams.length === 0) return
  const patterns = listFunctionArns(gateway, lambdaUpstreams).filter((arn) => arn.endsWith('*'))
  const reasons = Object.fromEntries(
    patterns.map((arn) => [
      `AwsSolutions-IAM5[Resource::${toShownArn(gateway, arn)}]`,
      NAMED_BY_STAGE,
    ]),
  )
  for (const door of CALL_DOORS) {
    const { role } = gateway.doors[door]
    if (role !== undefined) acknowledge(role, reasons)
  }
}

/** Writes an ARN as findings do: a reference as its name in angle brackets. */
function toShownArn(gateway: GatewayStack, arn: string): string {
  const resolved: unknown = gateway.resolve(arn)
  if (typeof resolved === 'string') return resolved
  const [, parts]: readonly unknown[] = Reflect.get(Object(resolved), 'Fn::Join') ?? []
  const list: readonly unknown[] = Array.isArray(parts) ? parts : []
  return list
    .map((part) => (typeof part === 'string' ? part : `<${Reflect.get(Object(part), 'Ref')}>`))
    .join('')
}

function acknowledge(scope: IConstruct, reasons: Reasons): void {
  for (const [id, reason] of Object.entries(reasons)) {
    Validations.of(scope).acknowledge({ id, reason })
  }
}
