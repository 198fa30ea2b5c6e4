/**
 * The functions and their entrances: public function URLs for sse, mcp and execute; internal URLs,
 * signed by the gateway's own roles, for messages and execute; a REST API for admin; a schedule for
 * sweep; the Gateway table's stream, and a schedule, for usage. A function may only use the tables
 * as lib/grants.ts says and call what is granted here. Bound by docs/service.md, Doors.
 */
import { Annotations, Stack, type StackProps } from 'aws-cdk-lib'
import type * as events from 'aws-cdk-lib/aws-events'
import type * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import { AdminApi } from './admin-api.ts'
import { formatAuditTableSql, formatLedgerTableSql } from './archive-schema.ts'
import { addCaller } from './caller-function.ts'
import type { DataStack } from './data-stack.ts'
import { addReleaseOutputs, createAlias, createTarget } from './door-alias.ts'
import {
  toArchiveVariables,
  toEventVariables,
  toLedgerVariables,
  toSecretVariables,
  toSettingVariables,
  toTableVariables,
  toTailVariables,
} from './door-environment.ts'
import { DoorFunction, getRoleName } from './door-function.ts'
import {
  type AdminPeers,
  type Execute,
  type Messages,
  type SsePeers,
  toExecuteUrl,
  toExecuteVariables,
  toShownVariables,
} from './door-peers.ts'
import { type Door, toConstructId } from './doors.ts'
import {
  createEdgeSecret,
  putBehindEdge,
  toAdminVariables,
  toShownUrls,
} from './edge/doors-behind-edge.ts'
import type { Entrances } from './edge/edge-origin.ts'
import { addInternalUrl, addPublicUrl, grantUrl } from './function-urls.ts'
import { addOutputs, createReleases, listSigners } from './gateway-outputs.ts'
import {
  createCanarySecret,
  createEventsSecret,
  grantNamedSecrets,
  grantSecrets,
} from './gateway-secrets.ts'
import {
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
import { grantEventTargets, scheduleSweep } from './sweep-grants.ts'
import { scheduleSyntheticCalls } from './synthetic-calls.ts'
import { UsageNews } from './usage-news.ts'

export type GatewayStackProps = StackProps & {
  readonly stage: Stage
  readonly data: DataStack
  /** The folder that holds one folder per function. */
  readonly bundles: string
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
  /** The secret of a stage whose events go to a webhook too; undefined otherwise. */
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
    const admin = this.admin(props, { execute, mcp, sse })
    this.adminApi = new AdminApi(this, 'AdminApi', {
      stage: props.stage,
      door: createTarget(admin, 'live'),
    })
    this.eventsSecret = createEventsSecret(this, props.stage)
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
    // The console is a client of the login, and it stands beside the admin API.
    if (props.stage.login) mcp.door.addEnvironment('ADMIN_URL', shown.admin)
    this.urls = { sse: shown.sse, mcp: `${shown.mcp}mcp`, execute: shown.execute }
    this.showOutputs(props, execute.internalUrl)
    addReleaseOutputs(this, Object.values(this.doors))
  }

  private showOutputs({ data, stage }: GatewayStackProps, executeInternalUrl: string): void {
    addOutputs(this, {
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
      ReleasesParameter: createReleases(this).parameterName,
      ...(stage.signedAccess.length === 0 ? {} : listSigners(this, this.doors)),
    })
  }

  private admin(props: GatewayStackProps, peers: AdminPeers): DoorFunction {
    const { execute } = peers
    const door = this.door('admin', props, {
      ...toSettingVariables(props.stage),
      ADMIN_SECRET_ID: props.data.adminSecret.secretArn,
      INTERNAL_SECRET_ID: props.data.internalSecret.secretArn,
      ...toSecretVariables(props.data),
      EXECUTE_IAM_URL: execute.internalUrl,
      ...toShownVariables(peers, props.stage),
      ...toAdminVariables(props.stage),
    })
    grantUrl(door, execute.internal)
    // Calls that users try are made there. Among the callers of that URL, execute makes dry runs only
    // for this role.
    execute.door.addEnvironment('ADMIN_ROLE', getRoleName(door))
    const { adminSecret, internalSecret } = props.data
    grantSecrets(door, [adminSecret.secretArn, internalSecret.secretArn])
    return door
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
      EXECUTE_URL: toExecuteUrl(execute, props.stage),
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
      EXECUTE_URL: toExecuteUrl(execute, props.stage),
    })
    return { door, url: addPublicUrl(createAlias(door, 'public')) }
  }

  private sweep(props: GatewayStackProps, execute: Execute): DoorFunction {
    const secretArn = this.eventsSecret?.secretArn
    const door = this.door('sweep', props, {
      ...toSettingVariables(props.stage),
      EXECUTE_IAM_URL: execute.internalUrl,
      ...toEventVariables(props.stage),
      ...(secretArn === undefined ? {} : { EVENTS_SECRET_ID: secretArn }),
    })
    // Has jobs of upstreams ended there, since the sweep calls none.
    grantUrl(door, execute.internal)
    if (secretArn !== undefined) grantSecrets(door, [secretArn])
    grantEventTargets(door, props.stage)
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
    const made = new DoorFunction(this, toConstructId(door), {
      stage,
      door,
      bundles,
      environment: { ...toTableVariables(tables), ...environment },
    })
    this.gatewayTable.publishWithTable(made)
    grantDoor(door, made, tables)
    grantSecretsKey(door, made, data.userSecretsKey)
    grantNamedSecrets(made, findIssuerSecrets(door, stage))
    grantArchive(door, made, data.archive.bucket)
    grantSkillRoles(door, made, stage)
    grantLambdaUpstreams(made, stage)
    if (this.edgeSecret !== undefined) putBehindEdge(made, this.edgeSecret, stage)
    return made
  }
}
