/**
 * Calls a built-in tool: authenticates, counts the request in the key's minute and answers. The
 * call is free and uses no upstream. A call without a key is counted like an anonymous tool list,
 * since it can only search that list. Bound by docs/service.md, Built-in tools.
 */
import type { FailureFacts } from '../../call/failure-messages.ts'
import type { ErrorCode, Refusal } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { ToolResult } from '../../mcp/content.ts'
import { makeTextResult } from '../../mcp/text-result.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { authenticate } from '../access/authenticate.ts'
import { type CountedRequest, countAnonymousList, countRequest } from '../access/count-request.ts'
import { startStoreWait } from '../access/store-wait.ts'
import { MAY_NOT_ISSUE, type SubKeyNeeds } from '../users/issue-sub-key.ts'
import type {
  BuiltInPorts,
  BuiltInRequest,
  BuiltInTool,
  IssuingTool,
  UserRequest,
} from './built-in-tool.ts'
import { type ListCaller, type ListToolsNeeds, readListLayers } from './merge-tool-layers.ts'
import type { ToolListCache } from './tool-list-cache.ts'
import { type ToolOutcome, toFailedResult, toResultOutcome } from './tool-outcome.ts'

export type BuiltInNeeds = BuiltInPorts &
  ListToolsNeeds &
  Pick<Ports, 'digests' | 'keys' | 'rateCounters' | 'profiles'>

export type BuiltInCall = {
  readonly callId: string
  readonly authorization: string | undefined
  readonly arguments: JsonObject
  /** The cached tool lists of this environment. The search reads them and adds to them. */
  readonly lists: ToolListCache
}

export type BuiltInRun =
  | { readonly kind: 'denied'; readonly refusal: Refusal }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The tool is about the caller's account, and the call has no key. */
  | { readonly kind: 'no-key' }
  /** The key's user was removed after it was issued. */
  | { readonly kind: 'no-user' }
  /** A result with `isError` describes an error in the arguments. */
  | { readonly kind: 'answered'; readonly result: ToolResult; readonly by: BuiltInUser | undefined }

/** The user who made the call. */
export type BuiltInUser = {
  readonly profile: Profile
  readonly minute: Omit<CountedRequest, 'profile'>
}

/** Answers tools/call of a built-in tool. Throws `Fault` if the store fails. */
export async function callBuiltIn(
  ports: BuiltInNeeds,
  settings: Settings,
  tool: BuiltInTool,
  call: BuiltInCall,
): Promise<ToolOutcome> {
  const { callId } = call
  const failed = (facts: FailureFacts) => toResultOutcome(toFailedResult(callId, facts))
  const answered = (result: ToolResult) => toResultOutcome({ ...result, call: { callId } })
  const run = await runBuiltIn(ports, settings, tool, call)
  const code = toRefusalCode(run)
  if (code !== undefined) ports.log.note('info', 'call-refused', { callId, code })
  switch (run.kind) {
    case 'denied':
      return { ...run, callId }
    case 'refused':
      return failed(run.refusal)
    case 'no-key':
      return failed({ code: 'unauthenticated' })
    case 'no-user':
      return answered(
        makeTextResult("This key's user no longer exists. Ask your administrator.", true),
      )
    case 'answered':
      return answered(run.result)
    default:
      return run satisfies never
  }
}

/** The code with which POST /v1/execute refuses the same run; undefined for an answered run. */
function toRefusalCode(run: BuiltInRun): ErrorCode | undefined {
  switch (run.kind) {
    case 'denied':
    case 'refused':
      return run.refusal.code
    case 'no-key':
    case 'no-user':
      return 'unauthenticated'
    case 'answered':
      // Only its arguments can make a built-in tool fail.
      return run.result.isError ? 'invalid_arguments' : undefined
    default:
      return run satisfies never
  }
}

/**
 * Runs a built-in tool for any door. Throws `Fault` if the store fails, or if all reads together
 * take longer than STORE_WAIT_MS.
 */
export function runBuiltIn(
  ports: BuiltInNeeds,
  settings: Settings,
  tool: BuiltInTool,
  call: Omit<BuiltInCall, 'callId'>,
): Promise<BuiltInRun> {
  const withTool: WithTool = {
    callers: tool.callers,
    anonymous: tool.callers === 'anyone' ? (request) => tool.answer(request, ports) : undefined,
    answer: (request) => tool.answer(request, ports),
  }
  return startStoreWait(ports.clock).within(() =>
    authenticateAndRun(ports, settings, withTool, call),
  )
}

/** As {@link runBuiltIn}, for the tool that issues keys. */
export function runIssuing(
  ports: BuiltInNeeds & SubKeyNeeds,
  settings: Settings,
  tool: IssuingTool,
  call: Omit<BuiltInCall, 'callId'>,
): Promise<BuiltInRun> {
  const withTool: WithTool = {
    callers: tool.callers,
    anonymous: undefined,
    answer: (request) => tool.answer(request, ports),
  }
  return startStoreWait(ports.clock).within(() =>
    authenticateAndRun(ports, settings, withTool, call),
  )
}

/** A tool with the ports that it needs. */
type WithTool = {
  readonly callers: (BuiltInTool | IssuingTool)['callers']
  /** Undefined if a call without a key is refused. */
  readonly anonymous: ((request: BuiltInRequest) => Promise<ToolResult>) | undefined
  readonly answer: (request: UserRequest) => Promise<ToolResult>
}

async function authenticateAndRun(
  ports: BuiltInNeeds,
  settings: Settings,
  tool: WithTool,
  call: Omit<BuiltInCall, 'callId'>,
): Promise<BuiltInRun> {
  const authentication = await authenticate(ports, call.authorization)
  switch (authentication.kind) {
    case 'refused':
      return { kind: 'denied', refusal: authentication.refusal }
    case 'anonymous': {
      if (tool.anonymous === undefined) return { kind: 'no-key' }
      const counted = await countAnonymousList(ports)
      if (!counted.ok) return { kind: 'refused', refusal: counted.error }
      const result = await tool.anonymous(toRequest(ports, settings, call, undefined))
      return { kind: 'answered', result, by: undefined }
    }
    case 'principal': {
      const { principal } = authentication
      if (tool.callers === 'issuers' && principal.scope?.mayIssueKeys !== true) {
        return { kind: 'refused', refusal: MAY_NOT_ISSUE }
      }
      const counted = await countRequest(ports, settings, principal)
      if (!counted.ok) return toRefusedRun(counted.error)
      const { profile, ...minute } = counted.value
      if (profile === undefined) return { kind: 'no-user' }
      const { groups, skillsChangedAtMs } = profile
      const lister = { ...principal, groups, skillsChangedAtMs }
      const request = toRequest(ports, settings, call, lister)
      const result = await tool.answer({ ...request, caller: { principal, profile, minute } })
      return { kind: 'answered', result, by: { profile, minute } }
    }
    default:
      return authentication satisfies never
  }
}

function toRefusedRun(refusal: Refusal): BuiltInRun {
  return { kind: refusal.code === 'user_disabled' ? 'denied' : 'refused', refusal }
}

function toRequest(
  ports: BuiltInNeeds,
  settings: Settings,
  { arguments: args, lists }: Omit<BuiltInCall, 'callId'>,
  lister: ListCaller | undefined,
): BuiltInRequest {
  return {
    settings,
    arguments: args,
    layers: () => readListLayers(ports, settings, lists, lister),
  }
}
