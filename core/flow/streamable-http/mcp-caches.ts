/** What one environment of the door mcp remembers between requests; nothing of it is needed to be right. */

import { type ToolListMemory, toolListMemory } from '../tools/tool-list-cache.ts'
import { type RunningCalls, runningCalls } from './running-calls.ts'

export type McpMemory = { readonly lists: ToolListMemory; readonly running: RunningCalls }

export function mcpMemory(): McpMemory {
  return { lists: toolListMemory(), running: runningCalls() }
}
