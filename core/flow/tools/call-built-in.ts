/**
 * tools/call of a built-in tool: authenticate, count the request against the key's minute, answer.
 * Free; execute and upstreams are not involved. A call without a key counts as an anonymous tool
 * list, since such a call can only search one. Bound by docs/service.md, Built-in tools.
 */
import type { FailureFacts } from '../../call/failure-messages.ts'
import type { JsonObject } from '../../json/json.ts'
import type { ToolResult } from '../../mcp/content.ts'
import { textResult } from '../../mcp/text-result.ts'
import type { Ports } from '../../ports.ts'
import type { Settings } from '../../settings.ts'
import { authenticate } from '../access/authenticate.ts'
import { countAnonymousList, countRequest } from '../access/count-request.ts'
import type { BuiltInPorts, BuiltInRequest, BuiltInTool } from './built-in-tool.ts'
import { type ListCaller, type ListToolsNeeds, listLayers } from './merge-tool-layers.ts'
import type { ToolListCache } from './tool-list-cache.ts'
import { failedCall, resultOf, type ToolOutcome } from './tool-outcome.ts'

export type BuiltInNeeds = BuiltInPorts &
  ListToolsNeeds &
  Pick<Ports, 'digests' | 'keys' | 'rateCounters' | 'profiles'>

export type BuiltInCall = {
  readonly callId: string
  readonly authorization: string | undefined
  readonly arguments: JsonObject
  /** Cached tool lists of this environment: the search reads them and adds to them. */
  readonly lists: ToolListCache
}

/** Throws `Fault` when the store does not answer. */
export async function callBuiltIn(
  ports: BuiltInNeeds,
  settings: Settings,
  tool: BuiltInTool,
  call: BuiltInCall,
): Promise<ToolOutcome> {
  const { callId } = call
  const failed = (facts: FailureFacts) => resultOf(failedCall(callId, facts))
  const answered = (result: ToolResult) => resultOf({ ...result, call: { callId } })
  const who = await authenticate(ports, call.authorization)
  switch (who.kind) {
    case 'refused':
      return { kind: 'unauthenticated', refusal: who.refusal, callId }
    case 'anonymous': {
      if (tool.callers === 'users') return failed({ code: 'unauthenticated' })
      const counted = await countAnonymousList(ports)
      if (!counted.ok) return failed(counted.error)
      return answered(await tool.answer(requestOf(ports, settings, call, undefined), ports))
    }
    case 'principal': {
      const { principal } = who
      const counted = await countRequest(ports, settings, principal)
      if (!counted.ok) return failed(counted.error)
      const { profile, ...minute } = counted.value
      if (profile === undefined) {
        const text = "This key's user no longer exists. Ask your administrator."
        return answered(textResult(text, true))
      }
      const lister = { ...principal, skillsChangedAtMs: profile.skillsChangedAtMs }
      const request = requestOf(ports, settings, call, lister)
      const caller = { principal, profile, minute }
      return answered(await tool.answer({ ...request, caller }, ports))
    }
    default:
      return who satisfies never
  }
}

function requestOf(
  ports: BuiltInNeeds,
  settings: Settings,
  { arguments: args, lists }: BuiltInCall,
  lister: ListCaller | undefined,
): BuiltInRequest {
  return {
    settings,
    arguments: args,
    layers: () => listLayers(ports, settings, lists, lister),
  }
}
