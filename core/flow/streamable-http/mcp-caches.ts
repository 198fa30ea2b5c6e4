/** What one environment of the door mcp keeps in memory between requests. */

import { type V0Lookups, v0Lookups } from '../access/v0-lookups.ts'
import type { DispatchContext } from '../tools/dispatch-intent.ts'
import { type ToolListCache, toolListCache } from '../tools/tool-list-cache.ts'
import { type RunningCalls, runningCalls } from './running-calls.ts'

export type McpCaches = {
  readonly lists: ToolListCache
  readonly running: RunningCalls
  readonly tokens: V0Lookups
}

/** One for each environment of the door. */
export type McpContext<Needs> = DispatchContext<Needs> & { readonly caches: McpCaches }

/** Empty caches of a new environment. */
export function mcpCaches(): McpCaches {
  return { lists: toolListCache(), running: runningCalls(), tokens: v0Lookups() }
}
