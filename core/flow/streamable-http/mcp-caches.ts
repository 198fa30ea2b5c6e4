/** What one environment of the door mcp remembers between requests; nothing of it is needed to be right. */

import { type ToolListCache, toolListCache } from '../tools/tool-list-cache.ts'
import { type RunningCalls, runningCalls } from './running-calls.ts'

export type McpCaches = { readonly lists: ToolListCache; readonly running: RunningCalls }

export function mcpCaches(): McpCaches {
  return { lists: toolListCache(), running: runningCalls() }
}
