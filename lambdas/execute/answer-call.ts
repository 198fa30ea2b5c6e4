/**
 * A call that was read: a built-in tool answers by itself, any other name is a skill. The door and
 * the direct call of the same process (direct-execute.ts) both come through here.
 */
import type { DryRunNeeds } from '../../core/flow/execute/dry-run.ts'
import type { ExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import type {
  ExecuteNeeds,
  ExecuteRequest,
  ExecuteResponse,
} from '../../core/flow/execute/execute-request.ts'
import { executeSkill } from '../../core/flow/execute/execute-skill.ts'
import { previewTool } from '../../core/flow/execute/preview-tool.ts'
import { type ExecuteBuiltInNeeds, executeBuiltIn } from '../../core/flow/tools/execute-built-in.ts'
import type { ToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import type { Settings } from '../../core/settings.ts'
import { builtInName, previewName } from '../../core/skills/built-in-names.ts'

export type ExecutePorts = ExecuteNeeds & ExecuteBuiltInNeeds & DryRunNeeds

export type ExecuteHost = {
  readonly ports: ExecutePorts
  readonly settings: Settings
  readonly caches: ExecuteCaches
  /** Cached tool lists of this environment, for the built-in search. */
  readonly lists: ToolListCache
}

/** Throws `Fault` when the store does not answer. */
export function answerCall(host: ExecuteHost, request: ExecuteRequest): Promise<ExecuteResponse> {
  const { caches, lists, ports, settings } = host
  const { skill } = request.body
  if (settings.previewCalls && skill === previewName(settings.prefix)) {
    return previewTool(ports, settings, caches.upstreams, request)
  }
  const name = builtInName(settings.prefix, skill)
  if (name === undefined) return executeSkill(ports, settings, caches, request)
  const { authorization, body, terms } = request
  const callId = terms?.callId
  const execution = { authorization, name, arguments: body.arguments, callId, lists }
  return executeBuiltIn(ports, settings, execution)
}
