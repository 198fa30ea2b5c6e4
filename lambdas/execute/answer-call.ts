/**
 * A call that was read: a built-in tool answers by itself, any other name is a skill. The door and
 * the twin's direct call (local/http/direct-execute.ts) both come through here.
 */
import type { ExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import type {
  ExecuteNeeds,
  ExecuteRequest,
  ExecuteResponse,
} from '../../core/flow/execute/execute-request.ts'
import { executeSkill } from '../../core/flow/execute/execute-skill.ts'
import { type ExecuteBuiltInNeeds, executeBuiltIn } from '../../core/flow/tools/execute-built-in.ts'
import type { ToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import type { Settings } from '../../core/settings.ts'
import { builtInName } from '../../core/skills/built-in-names.ts'

export type ExecutePorts = ExecuteNeeds & ExecuteBuiltInNeeds

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
  const name = builtInName(settings.prefix, request.body.skill)
  if (name === undefined) return executeSkill(ports, settings, caches, request)
  const { authorization, body, terms } = request
  const callId = terms?.callId
  const execution = { authorization, name, arguments: body.arguments, callId, lists }
  return executeBuiltIn(ports, settings, execution)
}
