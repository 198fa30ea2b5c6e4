/**
 * Calls a built-in tool: authenticates, counts the request in the key's minute and answers. The
 * call is free and uses no upstream. A call without a key is counted like an anonymous tool list,
 * since it can only search that list. Bound by docs/service.md, Built-in tools.
 */
import type { Credential } from '../../access/credential.ts'
import type { Principal } from '../../access/principal.ts'
import type { FailureFacts } from '../../call/failure-messages.ts'
import type { ErrorCode, Refusal } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { ToolResult } from '../../mcp/content.ts'
import { makeTextResult } from '../../mcp/text-result.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { authenticate, CALL_SCOPE_MISSING } from '../access/authenticate.ts'
import { type CountedRequest, countAnonymousList, countRequest } from '../access/count-request.ts'
import { checkByName, pickListKind } from '../access/list-kind.ts'
import { startStoreWait } from '../access/store-wait.ts'
import type { BuiltInPorts, BuiltInRequest, BuiltInTool, UserRequest } from './built-in-tool.ts'
import { type ListCaller, type ListToolsNeeds, readListLayers } from './merge-tool-layers.ts'
import type { ToolListCache } from './tool-list-cache.ts'
import { type ToolOutcome, toFailedResult, toResultOutcome } from './tool-outcome.ts'

export type BuiltInNeeds = BuiltInPorts &
  ListToolsNeeds &
  Pick<Ports, 'digests' | 'keys' | 'rateCounters' | 'profiles'>

export type BuiltInCall = {
  readonly callId: string
  readonly credential: Credential
  readonly arguments: JsonObject
  /** True if the call came by `<prefix>_call`, which only some users have. */
  readonly byName?: boolean | undefined
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
      return isRefused(run.result) ? 'invalid_arguments' : undefined
    default:
      return run satisfies never
  }
}

/**
 * Only its arguments can make a built-in tool fail. The result of an earlier call, which a task
 * gives again, may be an error, too.
 */
export function isRefused({ isError, replayed }: ToolResult): boolean {
  return isError && replayed !== true
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
  const answering: Answering = {
    anonymous: tool.callers === 'anyone' ? (request) => tool.answer(request, ports) : undefined,
    user: (request) => tool.answer(request, ports),
    changes: tool.callers === 'users' && tool.changes === true,
  }
  return runAnswering(ports, settings, answering, call)
}

/** As {@link runBuiltIn}, for functions that answer. */
export function runAnswering(
  ports: BuiltInNeeds,
  settings: Settings,
  answering: Answering,
  call: Omit<BuiltInCall, 'callId'>,
): Promise<BuiltInRun> {
  return startStoreWait(ports.clock).within(() =>
    authenticateAndRun(ports, settings, answering, call),
  )
}

/** How a built-in tool answers, with the ports that it needs. */
export type Answering = {
  /** Undefined if a call without a key is refused. */
  readonly anonymous: ((request: BuiltInRequest) => Promise<ToolResult>) | undefined
  readonly user: (request: UserRequest) => Promise<ToolResult>
  /** False if the tool only reads. */
  readonly changes: boolean
  /** Why this key may not call the tool. */
  readonly findRefusal?: (principal: Principal) => Refusal | undefined
}

async function authenticateAndRun(
  ports: BuiltInNeeds,
  settings: Settings,
  answering: Answering,
  call: Omit<BuiltInCall, 'callId'>,
): Promise<BuiltInRun> {
  const authentication = await authenticate(ports, call.credential)
  switch (authentication.kind) {
    case 'refused':
      return { kind: 'denied', refusal: authentication.refusal }
    case 'anonymous':
      return answering.anonymous === undefined
        ? { kind: 'no-key' }
        : runWithoutKey(ports, settings, answering.anonymous, call)
    case 'principal': {
      const { principal } = authentication
      const refused = refuseCaller(answering, principal)
      if (refused !== undefined) return refused
      const counted = await countRequest(ports, settings, principal)
      if (!counted.ok) return toRefusedRun(counted.error)
      const { profile, ...minute } = counted.value
      if (profile === undefined) return { kind: 'no-user' }
      const allowed = checkByName(settings, profile, call.byName)
      if (!allowed.ok) return { kind: 'refused', refusal: allowed.error }
      const { groups, list, skillsChangedAtMs } = profile
      const lister = { ...principal, groups, list, skillsChangedAtMs }
      const request = toRequest(ports, settings, call, lister)
      const result = await answering.user({ ...request, caller: { principal, profile, minute } })
      return { kind: 'answered', result, by: { profile, minute } }
    }
    default:
      return authentication satisfies never
  }
}

function refuseCaller(
  { changes, findRefusal }: Answering,
  principal: Principal,
): BuiltInRun | undefined {
  if (changes && principal.isReadOnly === true) {
    return { kind: 'denied', refusal: CALL_SCOPE_MISSING }
  }
  const refusal = findRefusal?.(principal)
  return refusal === undefined ? undefined : { kind: 'refused', refusal }
}

async function runWithoutKey(
  ports: BuiltInNeeds,
  settings: Settings,
  answer: NonNullable<Answering['anonymous']>,
  call: Omit<BuiltInCall, 'callId'>,
): Promise<BuiltInRun> {
  const counted = await countAnonymousList(ports)
  if (!counted.ok) return { kind: 'refused', refusal: counted.error }
  const allowed = checkByName(settings, undefined, call.byName)
  if (!allowed.ok) return { kind: 'refused', refusal: allowed.error }
  const result = await answer(toRequest(ports, settings, call, undefined))
  return { kind: 'answered', result, by: undefined }
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
    list: pickListKind(settings, lister),
    layers: () => readListLayers(ports, settings, lists, lister),
  }
}
