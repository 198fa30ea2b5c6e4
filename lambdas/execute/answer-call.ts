/**
 * A call that was read: a built-in tool answers by itself, any other name is a skill. The door and
 * the direct call of the same process (direct-execute.ts) both come through here.
 */
import { loadOnce } from '../../core/cache/load-once.ts'
import type { DryRunNeeds } from '../../core/flow/execute/dry-run.ts'
import type { ExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import type {
  ExecuteNeeds,
  ExecuteRequest,
  ExecuteResponse,
} from '../../core/flow/execute/execute-request.ts'
import { executeSkill } from '../../core/flow/execute/execute-skill.ts'
import type { ExecuteBuiltInNeeds } from '../../core/flow/tools/execute-built-in.ts'
import type { ToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import type { Settings } from '../../core/settings.ts'
import { type BuiltInName, builtInName } from '../../core/skills/built-in-names.ts'

export type ExecutePorts = ExecuteNeeds & ExecuteBuiltInNeeds & DryRunNeeds

export type ExecuteHost = {
  readonly ports: ExecutePorts
  readonly settings: Settings
  readonly caches: ExecuteCaches
  /** Cached tool lists of this environment, for the built-in search. */
  readonly lists: ToolListCache
}

const builtInCode = loadOnce(() => import('../../core/flow/tools/execute-built-in.ts'))

/** Throws `Fault` when the store does not answer. Built-in tools are loaded with their first call. */
export function answerCall(host: ExecuteHost, request: ExecuteRequest): Promise<ExecuteResponse> {
  const { caches, ports, settings } = host
  const name = builtInName(settings.prefix, request.body.skill)
  return name === undefined
    ? executeSkill(ports, settings, caches, request)
    : answerBuiltIn(host, name, request)
}

async function answerBuiltIn(
  { lists, ports, settings }: ExecuteHost,
  name: BuiltInName,
  { authorization, body, terms }: ExecuteRequest,
): Promise<ExecuteResponse> {
  const { executeBuiltIn } = await builtInCode()
  const callId = terms?.callId
  const execution = { authorization, name, arguments: body.arguments, callId, lists }
  return executeBuiltIn(ports, settings, execution)
}
