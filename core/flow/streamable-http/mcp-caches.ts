/** What one environment of the door mcp keeps in memory between requests. */

import { createV0Lookups, type V0Lookups } from '../access/v0-lookups.ts'
import type { DispatchContext } from '../tools/dispatch-intent.ts'
import { makeToolListCache, type ToolListCache } from '../tools/tool-list-cache.ts'
import { createLinkClients, type LinkClients } from './link-clients.ts'
import { createRunningCalls, type RunningCalls } from './running-calls.ts'
import { createTaskPolls, type TaskPolls } from './task-polls.ts'

export type McpCaches = {
  readonly linkClients: LinkClients
  readonly lists: ToolListCache
  readonly polls: TaskPolls
  readonly running: RunningCalls
  readonly tokens: V0Lookups
}

/** One for each environment of the door. */
export type McpContext<Needs> = DispatchContext<Needs> & { readonly caches: McpCaches }

/** Empty caches of a new environment. */
export function createMcpCaches(): McpCaches {
  return {
    linkClients: createLinkClients(),
    lists: makeToolListCache(),
    polls: createTaskPolls(),
    running: createRunningCalls(),
    tokens: createV0Lookups(),
  }
}
