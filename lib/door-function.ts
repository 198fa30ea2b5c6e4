/**
 * The one construct that spells how a door is deployed: runtime, bundle, logs, tracing, size. It
 * grants what every function needs (its own log group, X-Ray) and nothing else; lib/grants.ts
 * and the gateway stack say what a door may touch. The bundle is made before: `npm run bundle`.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import * as iam from 'aws-cdk-lib/aws-iam'
import * as lambda from 'aws-cdk-lib/aws-lambda'
import * as logs from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { DOOR_SIZES } from './door-sizes.ts'
import type { Door } from './doors.ts'
import type { Stage } from './stage.ts'

export type DoorFunctionProps = {
  readonly stage: Stage
  readonly door: Door
  /** Holds one folder per door; `dist` of the repository when deployed. */
  readonly bundles: string
  readonly environment: { readonly [name: string]: string }
}

export class DoorFunction extends lambda.Function {
  readonly door: Door

  constructor(scope: Construct, id: string, props: DoorFunctionProps) {
    const { stage, door } = props
    const logGroup = new logs.LogGroup(scope, `${id}Logs`, {
      retention: stage.logRetentionDays,
      removalPolicy: stage.keepLogs ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    })
    const reserved = stage.reservedConcurrency?.[door]
    super(scope, id, {
      description: `Skillgate ${stage.name}: the ${door} door`,
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      handler: 'index.handler',
      code: bundleOf(props),
      memorySize: DOOR_SIZES[door].memoryMb,
      timeout: Duration.seconds(DOOR_SIZES[door].timeoutSec),
      environment: { ...props.environment, SKILLGATE_STAGE: stage.name },
      // Its own role, without the managed policy that lets a function write to every log group.
      role: new iam.Role(scope, `${id}Role`, {
        assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
      }),
      logGroup,
      loggingFormat: lambda.LoggingFormat.JSON,
      // The calls' own lines and metrics are INFO; start, end and report of each invocation would
      // cost more than all of them.
      applicationLogLevelV2: lambda.ApplicationLogLevel.INFO,
      systemLogLevelV2: lambda.SystemLogLevel.WARN,
      tracing: lambda.Tracing.ACTIVE,
      ...(reserved === undefined ? {} : { reservedConcurrentExecutions: reserved }),
    })
    this.door = door
    logGroup.grantWrite(this)
  }
}

/** Source maps stay at home: they are larger than the code, and nobody reads them there. */
function bundleOf({ bundles, door }: DoorFunctionProps): lambda.Code {
  const folder = join(bundles, door)
  if (!existsSync(join(folder, 'index.mjs'))) {
    throw new Error(`dist/${door}/index.mjs is not there: run "npm run bundle" first`)
  }
  return lambda.Code.fromAsset(folder, { exclude: ['*.map'] })
}
