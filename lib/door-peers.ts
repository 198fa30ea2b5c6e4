/** The functions that other functions call, with their aliases and URLs. */
import type * as lambda from 'aws-cdk-lib/aws-lambda'
import type { DoorFunction } from './door-function.ts'
import { toShownUrls } from './edge/doors-behind-edge.ts'
import type { Stage } from './stage.ts'

export type Execute = {
  readonly door: DoorFunction
  readonly publicUrl: string
  readonly internalUrl: string
  /** The alias behind the internal URL. */
  readonly internal: lambda.Alias
}

export type Messages = {
  readonly door: DoorFunction
  /** The alias that has the URL. */
  readonly alias: lambda.Alias
  readonly url: string
}

/** The functions that sse calls or names. */
export type SsePeers = {
  readonly execute: Execute
  readonly messages: Messages
  readonly mcp: { readonly url: string }
}

/** The functions whose URLs the users' API shows. */
export type AdminPeers = {
  readonly execute: Execute
  readonly mcp: { readonly url: string }
  readonly sse: { readonly url: string }
}

/** Returns the variables with the URLs that people see. */
export function toShownVariables(
  { execute, mcp, sse }: AdminPeers,
  stage: Stage,
): { readonly [name: string]: string } {
  const shown = toShownUrls({ mcp: mcp.url, sse: sse.url }, stage)
  return {
    EXECUTE_URL: toExecuteUrl(execute, stage),
    MCP_URL: `${shown.mcp}mcp`,
    SSE_URL: `${shown.sse}v1/mcp/sse`,
  }
}

export function toExecuteVariables(
  execute: Execute,
  stage: Stage,
): { readonly [name: string]: string } {
  return { EXECUTE_URL: toExecuteUrl(execute, stage), EXECUTE_IAM_URL: execute.internalUrl }
}

/** Returns the URL that people see; a function URL ends in a slash. */
export function toExecuteUrl({ publicUrl }: Execute, stage: Stage): string {
  return `${toShownUrls({ execute: publicUrl }, stage).execute}v1/execute`
}
