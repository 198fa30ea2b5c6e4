/**
 * What one environment of the door mcp keeps between requests. A new environment starts without it.
 */

import { type V0Lookups, v0Lookups } from '../access/v0-lookups.ts'
import type { DispatchContext } from '../tools/dispatch-intent.ts'
import { type ToolListCache, toolListCache } from '../tools/tool-list-cache.ts'
import { type RunningCalls, runningCalls } from './running-calls.ts'

export type McpCaches = {
  readonly lists: ToolListCache
  readonly running: RunningCalls
  readonly tokens: V0Lookups
}

/** Made once per door. */
export type McpContext<Needs> = DispatchContext<Needs> & { readonly caches: McpCaches }

export function mcpCaches(): McpCaches {
  return { lists: toolListCache(), running: runningCalls(), tokens: v0Lookups() }
}
