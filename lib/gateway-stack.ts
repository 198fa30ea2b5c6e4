/**
 * The functions and their entrances: public function URLs for sse, mcp and execute; internal URLs,
 * signed by our own roles, for messages and execute; a REST API for admin; a schedule for sweep; the Gateway
 * table's stream, and a schedule, for usage. A function may use the tables as lib/grants.ts says and call what is granted here, nothing else.
 * Bound by docs/service.md, Doors.
 */
import {
  Annotations,
  CfnOutput,
  Duration,
  RemovalPolicy,
  Stack,
  type StackProps,
} from 'aws-cdk-lib'
import * as events from 'aws-cdk-lib/aws-events'
import * as targets from 'aws-cdk-lib/aws-events-targets'
import * as iam from 'aws-cdk-lib/aws-iam'
import * as lambda from 'aws-cdk-lib/aws-lambda'
import type * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import { eventTargetOf } from '../core/settings/form.ts'
import { AdminApi } from './admin-api.ts'
import { auditTableSql, ledgerTableSql } from './archive-schema.ts'
import { type DataStack, secretOf } from './data-stack.ts'
import {
  archiveOf,
  ledgerOf,
  settingsOf,
  tableNames,
  tailOf,
  userSecretsOf,
} from './door-environment.ts'
import { DoorFunction } from './door-function.ts'
import type { Door } from './doors.ts'
import { grantUrl, internalUrl, publicUrl } from './function-urls.ts'
import { grantArchive, grantDoor, grantSecretsKey, grantStreamTail } from './grants.ts'
import type { Stage } from './stage.ts'
import { UsageNews } from './usage-news.ts'

export type GatewayStackProps = StackProps & {
  readonly stage: Stage
  readonly data: DataStack
  /** Holds one folder per function. */
  readonly bundles: string
}

type Execute = {
  readonly door: DoorFunction
  readonly publicUrl: string
  readonly internalUrl: string
  /** The alias behind the internal URL. */
  readonly internal: lambda.Alias
}

type Messages = {
  readonly door: DoorFunction
  /** The alias that has the URL. */
  readonly alias: lambda.Alias
  readonly url: string
}

/** The functions that sse reaches. */
type OthersOfSse = {
  readonly execute: Execute
  readonly messages: Messages
  readonly mcp: { readonly mcpUrl: string }
}

const TWO_STREAMS =
  'replyTail: dynamodb-streams serves two open streams at once, because AWS allows two readers per shard; those beyond them read the partition. -c replyTail=partition serves all of them alike.'

export class GatewayStack extends Stack {
  readonly doors: { readonly [D in Door]: DoorFunction }
  readonly adminApi: AdminApi
  readonly sweepSchedule: events.Rule
  readonly usageNews: UsageNews
  /** Of a stage whose events go to a webhook. */
  readonly eventsSecret: secretsmanager.Secret | undefined

  constructor(scope: Construct, id: string, props: GatewayStackProps) {
    super(scope, id, props)
    const execute = this.execute(props)
    const messages = this.messages(props, execute)
    const mcp = this.mcp(props, execute)
    const sse = this.sse(props, { execute, messages, mcp })
    const admin = this.door('admin', props, {
      ...settingsOf(props.stage),
      ADMIN_SECRET_ID: props.data.adminSecret.secretArn,
      INTERNAL_SECRET_ID: props.data.internalSecret.secretArn,
      ...userSecretsOf(props.data),
      EXECUTE_IAM_URL: execute.internalUrl,
    })
    grantUrl(admin, execute.internal)
    // Of the callers of that URL, execute makes dry runs for this one alone.
    execute.door.addEnvironment('ADMIN_ROLE', roleNameOf(admin))
    const { adminSecret, internalSecret } = props.data
    grantSecrets(admin, [adminSecret.secretArn, internalSecret.secretArn])
    this.adminApi = new AdminApi(this, 'AdminApi', { stage: props.stage, door: admin })
    this.eventsSecret = this.secretOfEvents(props.stage)
    const sweep = this.sweep(props)
    this.sweepSchedule = everyMinute(this, sweep)
    const usage = this.door('usage', props, { ...ledgerOf(props.stage), ...archiveOf(props.data) })
    const streamArn = props.data.gatewayStreamArn
    this.usageNews = new UsageNews(this, 'UsageNews', { door: usage, streamArn })
    this.doors = {
      sse: sse.door,
      messages: messages.door,
      mcp: mcp.door,
      execute: execute.door,
      admin,
      sweep,
      usage,
    }
    this.outputs({
      SseUrl: sse.url,
      McpUrl: mcp.mcpUrl,
      ExecuteUrl: execute.publicUrl,
      ExecuteInternalUrl: execute.internalUrl,
      AdminUrl: this.adminApi.url,
      AdminSecretId: props.data.adminSecret.secretArn,
      InternalSecretId: props.data.internalSecret.secretArn,
      GatewayTableName: props.data.gatewayTable.tableName,
      SessionsTableName: props.data.sessionsTable.tableName,
      ArchiveBucketName: props.data.archive.bucket.bucketName,
      ArchiveLedgerTable: ledgerTableSql(props.data.archive.bucket.bucketName),
      ArchiveAuditTable: auditTableSql(props.data.archive.bucket.bucketName),
    })
  }

  private execute(props: GatewayStackProps): Execute {
    const environment = { ...settingsOf(props.stage), ...userSecretsOf(props.data) }
    const door = this.door('execute', props, environment)
    // Lambda gives one URL per qualifier; two aliases of one version share its environments.
    const open = aliasOf(door, 'public', props.stage)
    const internal = aliasOf(door, 'internal', props.stage)
    return { door, internal, publicUrl: publicUrl(open), internalUrl: internalUrl(internal) }
  }

  private messages(props: GatewayStackProps, execute: Execute): Messages {
    const door = this.door('messages', props, {
      ...settingsOf(props.stage),
      ...executeUrls(execute),
    })
    grantUrl(door, execute.internal)
    const alias = aliasOf(door, 'internal', props.stage)
    return { door, alias, url: internalUrl(alias) }
  }

  private sse(props: GatewayStackProps, others: OthersOfSse): { door: DoorFunction; url: string } {
    const { stage, data } = props
    const { execute, messages, mcp } = others
    const door = this.door('sse', props, {
      ...settingsOf(stage),
      ...executeUrls(execute),
      ...tailOf(stage, data.sessionsStreamArn),
      MESSAGES_URL: messages.url,
      MCP_URL: mcp.mcpUrl,
    })
    if (stage.replyTail === 'dynamodb-streams') {
      grantStreamTail(door, data.sessionsStreamArn)
      Annotations.of(door).addWarningV2('skillgate:two-streams-per-table', TWO_STREAMS)
    }
    // Messages, and execute: sse voids calls that nobody answered.
    for (const alias of [messages.alias, execute.internal]) grantUrl(door, alias)
    return { door, url: publicUrl(aliasOf(door, 'public', stage)) }
  }

  private mcp(props: GatewayStackProps, execute: Execute): { door: DoorFunction; mcpUrl: string } {
    const door = this.door('mcp', props, {
      ...settingsOf(props.stage),
      ...userSecretsOf(props.data),
      EXECUTE_URL: shownUrl(execute),
    })
    // A function URL ends in a slash.
    return { door, mcpUrl: `${publicUrl(aliasOf(door, 'public', props.stage))}mcp` }
  }

  /** The secret is the receiver's, too: it is read and rotated by an operator (docs/operations.md). */
  private secretOfEvents(stage: Stage): secretsmanager.Secret | undefined {
    const { eventTarget } = stage
    if (eventTargetOf(eventTarget ?? '')?.kind !== 'webhook') return undefined
    const secret = secretOf(this, 'EventsSecret', 'signs events to the webhook', stage)
    new CfnOutput(this, 'EventsSecretId', { value: secret.secretArn })
    return secret
  }

  private sweep(props: GatewayStackProps): DoorFunction {
    const { eventTarget } = props.stage
    const secretArn = this.eventsSecret?.secretArn
    const door = this.door('sweep', props, {
      ...settingsOf(props.stage),
      ...(eventTarget === undefined ? {} : { EVENTS_TARGET: eventTarget }),
      ...(secretArn === undefined ? {} : { EVENTS_SECRET_ID: secretArn }),
    })
    if (secretArn !== undefined) grantSecrets(door, [secretArn])
    const target = eventTargetOf(eventTarget ?? '')
    if (target?.kind === 'bus') grantBus(door, target.bus)
    return door
  }

  private door(
    door: Door,
    { stage, data, bundles }: GatewayStackProps,
    environment: { readonly [name: string]: string },
  ): DoorFunction {
    const id = door.charAt(0).toUpperCase() + door.slice(1)
    const made = new DoorFunction(this, id, {
      stage,
      door,
      bundles,
      environment: { ...tableNames(data), ...environment },
    })
    grantDoor(door, made, { gateway: data.gatewayTable, sessions: data.sessionsTable })
    grantSecretsKey(door, made, data.userSecretsKey)
    grantArchive(door, made, data.archive.bucket)
    return made
  }

  private outputs(values: { readonly [name: string]: string }): void {
    for (const [name, value] of Object.entries(values)) new CfnOutput(this, name, { value })
  }
}

/**
 * URLs belong to aliases, so that a roll-back, a canary or provisioned concurrency never changes an address.
 * Versions are retained: streams and calls that run on the version before this one end there.
 */
function aliasOf(
  door: DoorFunction,
  aliasName: string,
  { publishedVersions }: Stage,
): lambda.Alias {
  if (publishedVersions) {
    door.currentVersion.applyRemovalPolicy(RemovalPolicy.RETAIN)
    return door.addAlias(aliasName)
  }
  return new lambda.Alias(door, `Alias${aliasName}`, { aliasName, version: door.latestVersion })
}

/** By the ARN of the bus, or its name in this account and region. */
function grantBus(door: DoorFunction, bus: string): void {
  const place = { service: 'events', resource: 'event-bus', resourceName: bus }
  const arn = bus.startsWith('arn:') ? bus : Stack.of(door).formatArn(place)
  door.addToRolePolicy(new iam.PolicyStatement({ actions: ['events:PutEvents'], resources: [arn] }))
}

function executeUrls(execute: Execute): { readonly [name: string]: string } {
  return { EXECUTE_URL: shownUrl(execute), EXECUTE_IAM_URL: execute.internalUrl }
}

/** For people; a function URL ends in a slash. */
function shownUrl({ publicUrl: url }: Execute): string {
  return `${url}v1/execute`
}

/** A function always has a role; the type allows for imported ones. */
function roleNameOf({ role }: DoorFunction): string {
  if (role === undefined) throw new Error('the admin function has no role')
  return role.roleName
}

function grantSecrets(door: DoorFunction, resources: string[]): void {
  const actions = ['secretsmanager:GetSecretValue']
  door.addToRolePolicy(new iam.PolicyStatement({ actions, resources }))
}

/**
 * No retries: an event only says that a minute has passed, and the next one says the same. By cron, which fires
 * some seconds after a minute has begun, when its entries are due; a rate fires in any second (ADR 0067).
 */
function everyMinute(scope: Stack, sweep: DoorFunction): events.Rule {
  const once = { retryAttempts: 0, maxEventAge: Duration.seconds(60) }
  sweep.configureAsyncInvoke(once)
  return new events.Rule(scope, 'SweepSchedule', {
    description: 'Ends the holds of calls that were never settled',
    schedule: events.Schedule.cron({ minute: '*' }),
    targets: [new targets.LambdaFunction(sweep, once)],
  })
}
