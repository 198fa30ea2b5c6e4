/**
 * The one construct that deploys a function: runtime, bundle, logs, size. It grants only what every
 * function needs, its own log group; lib/grants.ts and the gateway stack grant the rest. The bundle
 * must exist: `npm run bundle`.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import * as iam from 'aws-cdk-lib/aws-iam'
import * as lambda from 'aws-cdk-lib/aws-lambda'
import * as logs from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { DOOR_SIZES, getMemoryMb, toProcessEnvironment } from './door-sizes.ts'
import type { FunctionName } from './doors.ts'
import type { Stage } from './stage.ts'

export type DoorFunctionProps = {
  readonly stage: Stage
  readonly door: FunctionName
  /** The folder that holds one folder per function: `dist` of the repository when deployed. */
  readonly bundles: string
  readonly environment: { readonly [name: string]: string }
}

/**
 * Functions that report billed time and memory of every invocation. In the functions that agents
 * wait for, these reports would cost more than all lines of a call, so there only failed
 * invocations are reported.
 */
const REPORTED_DOORS: ReadonlySet<FunctionName> = new Set(['admin', 'sweep', 'usage'])

export class DoorFunction extends lambda.Function {
  readonly door: FunctionName

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
      code: toCode(props),
      memorySize: getMemoryMb(stage, door),
      timeout: Duration.seconds(DOOR_SIZES[door].timeoutSec),
      environment: {
        ...props.environment,
        ...toProcessEnvironment(stage, door),
        SKILLGATE_STAGE: stage.name,
      },
      // The function has its own role, because the managed policy would allow writing to every log
      // group.
      role: new iam.Role(scope, `${id}Role`, {
        assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
      }),
      logGroup,
      loggingFormat: lambda.LoggingFormat.JSON,
      // The lines and metrics of calls have the level INFO.
      applicationLogLevelV2: lambda.ApplicationLogLevel.INFO,
      systemLogLevelV2: REPORTED_DOORS.has(door)
        ? lambda.SystemLogLevel.INFO
        : lambda.SystemLogLevel.WARN,
      ...(reserved === undefined ? {} : { reservedConcurrentExecutions: reserved }),
    })
    this.door = door
    logGroup.grantWrite(this)
  }
}

/**
 * Returns the name of the role. A function always has a role; the type allows for imported
 * functions.
 */
export function getRoleName({ role }: DoorFunction): string {
  if (role === undefined) throw new Error('the function has no role')
  return role.roleName
}

/**
 * Returns the code of a function. Source maps are not deployed: they are larger than the code, and
 * nothing reads them there.
 */
function toCode({ bundles, door }: DoorFunctionProps): lambda.Code {
  const folder = join(bundles, door)
  if (!existsSync(join(folder, 'index.mjs'))) {
    throw new Error(`dist/${door}/index.mjs is not there: run "npm run bundle" first`)
  }
  return lambda.Code.fromAsset(folder, { exclude: ['*.map'] })
}
