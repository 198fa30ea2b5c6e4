/**
 * The part of a request that calls a tool of an MCP server: the arguments as they are, the answers
 * to the tool's questions, and the annotated arguments as headers. The adapter of MCP servers makes
 * the messages of it, in the revision that the server speaks.
 */
import { findMirroredParams, writeMirroredParams } from '../call/mirrored-params.ts'
import type { McpCall, McpTaskRequest, UpstreamRequest } from '../call/upstream.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import type { Skill } from '../skills/skill.ts'
import type { InputFills } from './fill-template.ts'

/** What a call knows beside its arguments. */
export type McpTerms = Pick<McpCall, 'idempotencyKey' | 'takesTask' | 'task'>

/** Adds the tool's call to a request, whose body then shows it. */
export function withMcpCall(
  request: UpstreamRequest,
  { parameters }: Pick<Skill, 'parameters'>,
  mcp: McpCall,
): UpstreamRequest {
  const { arguments: args, task, tool } = mcp
  const params = task === undefined ? { name: tool, arguments: args } : toTaskParams(task)
  const shown = { jsonrpc: '2.0', id: 1, method: task?.method ?? 'tools/call', params }
  const mirrored = writeMirroredParams(findMirroredParams(parameters), args)
  return {
    ...request,
    headers: { ...request.headers, 'content-type': 'application/json', ...mirrored },
    body: JSON.stringify(shown),
    mcp,
  }
}

function toTaskParams(task: McpTaskRequest): JsonObject {
  const { taskId } = task
  return task.method === 'tasks/update' ? { taskId, inputResponses: task.responses } : { taskId }
}

/** `input` has the client's answers, its capabilities, and the state that the server gave. */
export function toMcpCall(
  target: NonNullable<Skill['mcp']>,
  args: JsonObject,
  { capabilities, responses, state }: InputFills,
  terms: McpTerms,
): McpCall {
  const hasInput = responses !== undefined || state !== undefined
  const input = {
    responses: toObject(responses),
    state: typeof state === 'string' ? state : undefined,
  }
  return {
    ...target,
    ...terms,
    arguments: args,
    capabilities: toObject(capabilities),
    ...(hasInput ? { input } : {}),
  }
}

function toObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
