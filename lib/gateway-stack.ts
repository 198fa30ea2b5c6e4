/**
 * The functions and their entrances: public function URLs for sse, mcp and execute; internal URLs,
 * signed by the gateway's own roles, for messages and execute; a REST API for admin; a schedule for
 * sweep; the Gateway table's stream, and a schedule, for usage. A function may only use the tables
 * as lib/grants.ts says and call what is granted here. Bound by docs/service.md, Doors.
 */
import {
  Annotations,
  ArnFormat,
  CfnOutput,
  Duration,
  RemovalPolicy,
  Stack,
  type StackProps,
} from 'aws-cdk-lib'
import * as events from 'aws-cdk-lib/aws-events'
import * as targets from 'aws-cdk-lib/aws-events-targets'
import * as iam from 'aws-cdk-lib/aws-iam'
import type * as lambda from 'aws-cdk-lib/aws-lambda'
import type * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager'
import * as ssm from 'aws-cdk-lib/aws-ssm'
import type { Construct } from 'constructs'
import { parseEventTarget } from '../core/settings/form.ts'
import { AdminApi } from './admin-api.ts'
import { formatAuditTableSql, formatLedgerTableSql } from './archive-schema.ts'
import { addCaller } from './caller-function.ts'
import { createSecret, type DataStack } from './data-stack.ts'
import { addReleaseOutputs, createAlias, createTarget } from './door-alias.ts'
import {
  toArchiveVariables,
  toLedgerVariables,
  toSecretVariables,
  toSettingVariables,
  toTableVariables,
  toTailVariables,
} from './door-environment.ts'
import { DoorFunction } from './door-function.ts'
import type { Door } from './doors.ts'
import {
  createEdgeSecret,
  putBehindEdge,
  toAdminVariables,
  toShownUrls,
} from './edge/doors-behind-edge.ts'
import type { Entrances } from './edge/edge-origin.ts'
import { addInternalUrl, addPublicUrl, grantUrl } from './function-urls.ts'
import {
  CALL_DOORS,
  findIssuerSecrets,
  grantArchive,
  grantDoor,
  grantSecretsKey,
  grantSkillRoles,
  grantStreamTail,
} from './grants.ts'
import { grantLambdaUpstreams } from './lambda-grants.ts'
import { GatewayTableInUse } from './restored-table.ts'
import type { Stage } from './stage.ts'
import { scheduleSyntheticCalls } from './synthetic-calls.ts'
import { UsageNews } from './usage-news.ts'

export type GatewayStackProps = StackProps & {
  readonly stage: Stage
  readonly data: DataStack
  /** The folder that holds one folder per function. */
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

/** The functions that sse calls or names. */
type SsePeers = {
  readonly execute: Execute
  readonly messages: Messages
  readonly mcp: { readonly url: string }
}

const TWO_STREAMS_WARNING =
  'replyTail: dynamodb-streams serves two open streams at once, because AWS allows two readers per shard; those beyond them read the partition. The tail partition serves all of them alike.'

export class GatewayStack extends Stack {
  /** `caller` only in a stage with private hosts. */
  readonly doors: { readonly [D in Door]: DoorFunction } & { readonly caller?: DoorFunction }
  readonly adminApi: AdminApi
  /** Of mcp with its path; the others end in a slash. */
  readonly urls: { readonly [D in 'execute' | 'mcp' | 'sse']: string }
  readonly sweepSchedule: events.Rule
  readonly usageNews: UsageNews
  /** The Gateway table that the functions use. */
  readonly gatewayTable: GatewayTableInUse
  /** The secret that a deploy gives the key of the canary user. */
  readonly canarySecret: secretsmanager.Secret
  /** The schedule of a stage with synthetic calls; undefined otherwise. */
  readonly syntheticCalls: events.Rule | undefined
  /** The secret of a stage whose events go to a webhook; undefined otherwise. */
  readonly eventsSecret: secretsmanager.Secret | undefined
  /** The values by which the edge proves itself; undefined in a stage without an edge. */
  readonly edgeSecret: secretsmanager.Secret | undefined
  /** URLs of the public functions and of the admin API, whatever stands before them. */
  readonly entrances: Entrances

  constructor(scope: Construct, id: string, props: GatewayStackProps) {
    super(scope, id, props)
    this.gatewayTable = new GatewayTableInUse(this, 'GatewayTable', props.data.gatewayTable)
    this.edgeSecret = createEdgeSecret(this, props.stage)
    const execute = this.execute(props)
    const messages = this.messages(props, execute)
    const mcp = this.mcp(props, execute)
    const sse = this.sse(props, { execute, messages, mcp })
    const admin = this.admin(props, execute)
    this.adminApi = new AdminApi(this, 'AdminApi', {
      stage: props.stage,
      door: createTarget(admin, 'live'),
    })
    this.eventsSecret = this.secretOfEvents(props.stage)
    const sweep = this.sweep(props, execute)
    // It makes no calls, although it may reach that URL.
    execute.door.addEnvironment('SWEEP_ROLE', getRoleName(sweep))
    this.sweepSchedule = scheduleSweep(this, createTarget(sweep, 'live'))
    this.canarySecret = createCanarySecret(this, props.stage)
    const usage = this.usage(props, `${toShownUrls({ mcp: mcp.url }, props.stage).mcp}mcp`)
    const caller = addCaller(this, props, [execute.door, mcp.door, messages.door])
    const streamArn = this.gatewayTable.addStream(props.data.gatewayStreamArn)
    const usageAlias = createTarget(usage, 'live')
    this.usageNews = new UsageNews(this, 'UsageNews', { door: usageAlias, streamArn })
    this.syntheticCalls = props.stage.syntheticCalls
      ? scheduleSyntheticCalls(this, usageAlias, this.canarySecret)
      : undefined
    this.doors = {
      sse: sse.door,
      messages: messages.door,
      mcp: mcp.door,
      execute: execute.door,
      admin,
      sweep,
      usage,
      ...(caller === undefined ? {} : { caller }),
    }
    this.entrances = {
      sse: sse.url,
      mcp: mcp.url,
      execute: execute.publicUrl,
      admin: this.adminApi.url,
    }
    const shown = toShownUrls(this.entrances, props.stage)
    this.urls = { sse: shown.sse, mcp: `${shown.mcp}mcp`, execute: shown.execute }
    this.showOutputs(props, execute.internalUrl)
    addReleaseOutputs(this, Object.values(this.doors))
  }

  private showOutputs({ data, stage }: GatewayStackProps, executeInternalUrl: string): void {
    const releases = createReleases(this)
    this.outputs({
      SseUrl: this.urls.sse,
      McpUrl: this.urls.mcp,
      ExecuteUrl: this.urls.execute,
      ExecuteInternalUrl: executeInternalUrl,
      AdminUrl: toShownUrls(this.entrances, stage).admin,
      AdminSecretId: data.adminSecret.secretArn,
      InternalSecretId: data.internalSecret.secretArn,
      GatewayTableName: this.gatewayTable.tableName,
      SessionsTableName: data.sessionsTable.tableName,
      ArchiveBucketName: data.archive.bucket.bucketName,
      ArchiveLedgerTable: formatLedgerTableSql(data.archive.bucket.bucketName),
      ArchiveAuditTable: formatAuditTableSql(data.archive.bucket.bucketName),
      CanarySecretId: this.canarySecret.secretArn,
      ReleasesParameter: releases.parameterName,
      ...this.listSigners(stage),
    })
  }

  private admin(props: GatewayStackProps, execute: Execute): DoorFunction {
    const door = this.door('admin', props, {
      ...toSettingVariables(props.stage),
      ADMIN_SECRET_ID: props.data.adminSecret.secretArn,
      INTERNAL_SECRET_ID: props.data.internalSecret.secretArn,
      ...toSecretVariables(props.data),
      EXECUTE_IAM_URL: execute.internalUrl,
      ...toAdminVariables(props.stage),
    })
    grantUrl(door, execute.internal)
    // Among the callers of that URL, execute makes dry runs only for this role.
    execute.door.addEnvironment('ADMIN_ROLE', getRoleName(door))
    const { adminSecret, internalSecret } = props.data
    grantSecrets(door, [adminSecret.secretArn, internalSecret.secretArn])
    return door
  }

  /** The roles that the trust policies of listed roles, and policies of listed hosts, must name. */
  private listSigners({ signedAccess }: Stage): { readonly [output: string]: string } {
    if (signedAccess.length === 0) return {}
    return Object.fromEntries(
      CALL_DOORS.map((door) => {
        const name = getRoleName(this.doors[door])
        const arn = this.formatArn({
          service: 'iam',
          region: '',
          resource: 'role',
          resourceName: name,
        })
        return [`${toId(door)}RoleArn`, arn]
      }),
    )
  }

  private execute(props: GatewayStackProps): Execute {
    const environment = {
      ...toSettingVariables(props.stage),
      ...toSecretVariables(props.data),
      ...toArchiveVariables(props.data),
    }
    const door = this.door('execute', props, environment)
    // Lambda gives one URL per qualifier; two aliases of one version share its environments.
    const open = createAlias(door, 'public')
    const internal = createAlias(door, 'internal')
    return { door, internal, publicUrl: addPublicUrl(open), internalUrl: addInternalUrl(internal) }
  }

  private messages(props: GatewayStackProps, execute: Execute): Messages {
    const door = this.door('messages', props, {
      ...toSettingVariables(props.stage),
      ...toSecretVariables(props.data),
      ...toArchiveVariables(props.data),
      EXECUTE_URL: toShownUrl(execute, props.stage),
    })
    // For one release: the version before this one has execute make its calls (ADR 0135).
    grantUrl(door, execute.internal)
    const alias = createAlias(door, 'internal')
    return { door, alias, url: addInternalUrl(alias) }
  }

  private sse(props: GatewayStackProps, others: SsePeers): { door: DoorFunction; url: string } {
    const { stage, data } = props
    const { execute, messages, mcp } = others
    const door = this.door('sse', props, {
      ...toSettingVariables(stage),
      ...toExecuteVariables(execute, stage),
      ...toTailVariables(stage, data.sessionsStreamArn),
      MESSAGES_URL: messages.url,
      MCP_URL: `${toShownUrls({ mcp: mcp.url }, stage).mcp}mcp`,
    })
    if (stage.replyTail === 'dynamodb-streams') {
      grantStreamTail(door, data.sessionsStreamArn)
      Annotations.of(door).addWarningV2('skillgate:two-streams-per-table', TWO_STREAMS_WARNING)
    }
    // sse calls messages, and also execute, to void calls whose answer was not delivered.
    for (const alias of [messages.alias, execute.internal]) grantUrl(door, alias)
    return { door, url: addPublicUrl(createAlias(door, 'public')) }
  }

  private mcp(props: GatewayStackProps, execute: Execute): { door: DoorFunction; url: string } {
    const door = this.door('mcp', props, {
      ...toSettingVariables(props.stage),
      ...toSecretVariables(props.data),
      ...toArchiveVariables(props.data),
      EXECUTE_URL: toShownUrl(execute, props.stage),
    })
    return { door, url: addPublicUrl(createAlias(door, 'public')) }
  }

  /**
   * Creates the secret that signs events to the webhook. The receiver has it too; an operator reads
   * and rotates it (docs/operations.md).
   */
  private secretOfEvents(stage: Stage): secretsmanager.Secret | undefined {
    const { eventTarget } = stage
    if (parseEventTarget(eventTarget ?? '')?.kind !== 'webhook') return undefined
    const secret = createSecret(this, 'EventsSecret', 'signs events to the webhook', stage)
    new CfnOutput(this, 'EventsSecretId', { value: secret.secretArn })
    return secret
  }

  private sweep(props: GatewayStackProps, execute: Execute): DoorFunction {
    const { eventTarget } = props.stage
    const secretArn = this.eventsSecret?.secretArn
    const door = this.door('sweep', props, {
      ...toSettingVariables(props.stage),
      EXECUTE_IAM_URL: execute.internalUrl,
      ...(eventTarget === undefined ? {} : { EVENTS_TARGET: eventTarget }),
      ...(secretArn === undefined ? {} : { EVENTS_SECRET_ID: secretArn }),
    })
    // Has jobs of upstreams ended there, since the sweep calls none.
    grantUrl(door, execute.internal)
    if (secretArn !== undefined) grantSecrets(door, [secretArn])
    const target = parseEventTarget(eventTarget ?? '')
    if (target?.kind === 'bus') grantBus(door, target.bus)
    return door
  }

  private usage({ stage, data, bundles }: GatewayStackProps, mcpUrl: string): DoorFunction {
    const canary = { CANARY_SECRET_ID: this.canarySecret.secretArn, MCP_URL: mcpUrl }
    return this.door(
      'usage',
      { stage, data, bundles },
      {
        ...toLedgerVariables(stage),
        ...toArchiveVariables(data),
        ...(stage.syntheticCalls ? canary : {}),
      },
    )
  }

  private door(
    door: Door,
    { stage, data, bundles }: GatewayStackProps,
    environment: { readonly [name: string]: string },
  ): DoorFunction {
    const tables = { gateway: this.gatewayTable, sessions: data.sessionsTable }
    const made = new DoorFunction(this, toId(door), {
      stage,
      door,
      bundles,
      environment: { ...toTableVariables(tables), ...environment },
    })
    this.gatewayTable.publishWithTable(made)
    grantDoor(door, made, tables)
    grantSecretsKey(door, made, data.userSecretsKey)
    this.grantIssuerSecrets(made, findIssuerSecrets(door, stage))
    grantArchive(door, made, data.archive.bucket)
    grantSkillRoles(door, made, stage)
    grantLambdaUpstreams(made, stage)
    if (this.edgeSecret !== undefined) putBehindEdge(made, this.edgeSecret, stage)
    return made
  }

  /** The secrets belong to the operator, who names them in the stage or gives their ARNs. */
  private grantIssuerSecrets(door: DoorFunction, ids: readonly string[]): void {
    // The name of a secret is followed by six random characters in its ARN.
    const resources = ids.map((id) =>
      id.startsWith('arn:')
        ? id
        : this.formatArn({
            service: 'secretsmanager',
            resource: 'secret',
            resourceName: `${id}-??????`,
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
    )
    if (resources.length > 0) grantSecrets(door, resources)
  }

  private outputs(values: { readonly [name: string]: string }): void {
    for (const [name, value] of Object.entries(values)) new CfnOutput(this, name, { value })
  }
}

/** Grants events on a bus that is named by its ARN, or by its name in this account and region. */
function grantBus(door: DoorFunction, bus: string): void {
  const place = { service: 'events', resource: 'event-bus', resourceName: bus }
  const arn = bus.startsWith('arn:') ? bus : Stack.of(door).formatArn(place)
  door.addToRolePolicy(new iam.PolicyStatement({ actions: ['events:PutEvents'], resources: [arn] }))
}

function toExecuteVariables(execute: Execute, stage: Stage): { readonly [name: string]: string } {
  return { EXECUTE_URL: toShownUrl(execute, stage), EXECUTE_IAM_URL: execute.internalUrl }
}

function toId(door: Door): string {
  return door.charAt(0).toUpperCase() + door.slice(1)
}

/** Returns the URL that people see; a function URL ends in a slash. */
function toShownUrl({ publicUrl }: Execute, stage: Stage): string {
  return `${toShownUrls({ execute: publicUrl }, stage).execute}v1/execute`
}

/**
 * Returns the name of the role. A function always has a role; the type allows for imported
 * functions.
 */
function getRoleName({ role }: DoorFunction): string {
  if (role === undefined) throw new Error('the admin function has no role')
  return role.roleName
}

function grantSecrets(door: DoorFunction, resources: string[]): void {
  const actions = ['secretsmanager:GetSecretValue']
  door.addToRolePolicy(new iam.PolicyStatement({ actions, resources }))
}

/**
 * Creates the secret of the canary user's key. `skillgate deploy` replaces the generated value. The
 * secret goes with its stack: the next deploy makes another key.
 */
function createCanarySecret(scope: Stack, stage: Stage): secretsmanager.Secret {
  const secret = createSecret(scope, 'CanarySecret', 'key of the canary user', stage)
  secret.applyRemovalPolicy(RemovalPolicy.DESTROY)
  return secret
}

/**
 * Creates the record of the last releases, which `skillgate deploy` writes and `rollback` reads. A
 * change of these properties would have CloudFormation empty the record.
 */
function createReleases(scope: Stack): ssm.StringParameter {
  return new ssm.StringParameter(scope, 'Releases', { stringValue: '[]' })
}

/**
 * Runs the sweep every minute. There are no retries, because an event only says that a minute has
 * passed, and the next event says the same. The schedule uses cron, which fires some seconds after
 * a minute has begun, when the entries of the minute are due; a rate fires in any second (
 * docs/design/ledger.md#the-sweep).
 */
function scheduleSweep(scope: Stack, sweep: lambda.FunctionBase): events.Rule {
  const once = { retryAttempts: 0, maxEventAge: Duration.seconds(60) }
  sweep.configureAsyncInvoke(once)
  return new events.Rule(scope, 'SweepSchedule', {
    description: 'Ends the holds of calls that were never settled',
    schedule: events.Schedule.cron({ minute: '*' }),
    targets: [new targets.LambdaFunction(sweep, once)],
  })
}
