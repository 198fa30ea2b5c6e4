/**
 * What the doors of a stage with an edge have beside others: the right to read the values by which
 * the edge proves itself, and the URLs of the edge in place of their own.
 */
import type { Stack } from 'aws-cdk-lib'
import * as iam from 'aws-cdk-lib/aws-iam'
import type * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager'
import { writeSettingText } from '../../core/settings/read-setting.ts'
import { FUNCTION_SETTINGS } from '../../core/settings/table.ts'
import { createSecret } from '../data-stack.ts'
import type { DoorFunction } from '../door-function.ts'
import type { FunctionName } from '../doors.ts'
import type { Stage } from '../stage.ts'
import { type Entrances, findEdgeOrigin } from './edge-origin.ts'

/** The doors that clients reach. */
const EDGE_DOORS: readonly FunctionName[] = ['sse', 'mcp', 'execute', 'admin']
/** The path of the admin API behind every origin of its own. */
const ADMIN_PATH = '/v1/admin'
const CONSOLE_PATH = '/v1/console/'

/** Creates the secret that the distribution sends; undefined in a stage without an edge. */
export function createEdgeSecret(scope: Stack, stage: Stage): secretsmanager.Secret | undefined {
  if (stage.edgeDomain === undefined) return undefined
  return createSecret(scope, 'EdgeSecret', 'proves that a request came through the edge', stage)
}

/** Lets a door that clients reach read the secret; nothing for another function. */
export function putBehindEdge(
  door: DoorFunction,
  { secretArn }: secretsmanager.Secret,
  { edgeDirectUrls }: Stage,
): void {
  if (!EDGE_DOORS.includes(door.door)) return
  door.addEnvironment('EDGE_SECRET_ID', secretArn)
  door.addEnvironment(
    'EDGE_DIRECT_URLS',
    writeSettingText(FUNCTION_SETTINGS.EDGE_DIRECT_URLS, edgeDirectUrls),
  )
  const actions = ['secretsmanager:GetSecretValue']
  door.addToRolePolicy(new iam.PolicyStatement({ actions, resources: [secretArn] }))
}

/** API Gateway tells the door the domain of the API, which nobody reaches behind an edge. */
export function toAdminVariables(stage: Stage): { readonly [name: string]: string } {
  const origin = findEdgeOrigin(stage)
  return origin === undefined ? {} : { ADMIN_URL: `${origin}${ADMIN_PATH}` }
}

/** Returns the URLs that people see: those of the edge if the stage has one. */
export function toShownUrls<U extends Partial<Entrances>>(entrances: U, stage: Stage): U {
  const origin = findEdgeOrigin(stage)
  if (origin === undefined) return entrances
  const toShown = (door: string) => `${origin}${door === 'admin' ? ADMIN_PATH : '/'}`
  const shown = Object.keys(entrances).map((door) => [door, toShown(door)])
  return { ...entrances, ...Object.fromEntries(shown) }
}

/** Returns the URL of the console that people see: that of the edge if the stage has one. */
export function toShownConsoleUrl(consoleUrl: string, stage: Stage): string {
  const origin = findEdgeOrigin(stage)
  return origin === undefined ? consoleUrl : `${origin}${CONSOLE_PATH}`
}
