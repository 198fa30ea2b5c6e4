/**
 * A stage as a construct, for teams that have a CDK app of their own: the same three stacks as
 * `skillgate deploy` makes, with the fields of a stage as typed settings. The app deploys them; it
 * needs none of this clone's commands. Bound by docs/deploy.md, In a CDK app of your own.
 */
import type { RestApi } from 'aws-cdk-lib/aws-apigateway'
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import type { Bucket } from 'aws-cdk-lib/aws-s3'
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Topic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import cdkJson from '../cdk.json' with { type: 'json' }
import { describeChoices, describeWrongValue } from '../core/settings/describe-setting.ts'
import {
  BUILT_IN_STAGES,
  type BuiltInStage,
  describeUnknownField,
} from '../core/settings/stage-records.ts'
import { findBundles } from './find-bundles.ts'
import { addStacks } from './gateway-app.ts'
import { STAGE_FIELDS, type StageFields } from './stage.ts'
import { makeStage, toEnvironment } from './stages.ts'

export type SkillgateSettings = Partial<StageFields> & {
  /** 1 to 16 of a-z, 0-9 and -, a letter first; a part of the names of stacks and alarms. */
  readonly name: string
  /** The built-in stage whose fields hold where none is given; default `dev`. */
  readonly like?: BuiltInStage
  /** The folder that holds one folder per function; default `-c bundles=FOLDER`, or dist/ of this clone, made if needed. */
  readonly bundles?: string
}

/**
 * Three stacks `Skillgate-<name>-Data`, `-Gateway` and `-Watch`. Throws an Error with a line for
 * each setting that does not fit.
 */
export class Skillgate extends Construct {
  /** The endpoint of Streamable HTTP, with its path. */
  readonly mcpUrl: string
  /** The function URL of HTTP+SSE, with a slash at its end. */
  readonly sseUrl: string
  /** The function URL of REST calls, with a slash at its end. */
  readonly executeUrl: string
  readonly adminApi: RestApi
  readonly adminUrl: string
  /** The key of administrators, as `{"current":"…"}`. */
  readonly adminSecret: Secret
  readonly gatewayTable: TableV2
  readonly sessionsTable: TableV2
  readonly archive: Bucket
  readonly alarms: Topic

  constructor(scope: Construct, id: string, settings: SkillgateSettings) {
    super(scope, id)
    const { bundles, like = 'dev', name, ...fields } = settings
    assertSettings(like, Object.keys(fields))
    // The flags of this clone, so that the templates are those that its tests have judged.
    for (const [flag, value] of Object.entries(cdkJson.context)) this.node.setContext(flag, value)
    const stage = makeStage(name, like, fields)
    const { data, gateway, watch } = addStacks(this, {
      stage,
      bundles: findBundles(bundles ?? this.node.tryGetContext('bundles')),
      env: toEnvironment(stage, {}),
    })
    this.mcpUrl = gateway.urls.mcp
    this.sseUrl = gateway.urls.sse
    this.executeUrl = gateway.urls.execute
    this.adminApi = gateway.adminApi.api
    this.adminUrl = gateway.adminApi.url
    this.adminSecret = data.adminSecret
    this.gatewayTable = data.gatewayTable
    this.sessionsTable = data.sessionsTable
    this.archive = data.archive.bucket
    this.alarms = watch.alarms
  }
}

/** For apps without types. */
function assertSettings(like: BuiltInStage, names: readonly string[]): void {
  if (!BUILT_IN_STAGES.includes(like)) {
    throw new Error(describeWrongValue('like', like, describeChoices(BUILT_IN_STAGES)))
  }
  const unknown = names.filter((name) => !Object.hasOwn(STAGE_FIELDS, name))
  if (unknown.length > 0) throw new Error(unknown.map(describeUnknownField).join('\n'))
}
