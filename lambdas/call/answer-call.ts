/**
 * A call that was read: a built-in tool answers by itself, any other name is a skill. The door of execute comes here with a posted
 * body, and `callsHere` lets the other doors of a process make calls without HTTP. The same tests hold both
 * (test/contracts/execute-contract.ts). Bound by ADR 0062.
 */
import { currentTraceId } from '../../adapters/config/trace.ts'
import { refusalOfThrown } from '../../adapters/http/problem.ts'
import { bodyTooLarge, REQUEST_BODY_BYTES_MAX } from '../../adapters/http/request.ts'
import { loadOnce } from '../../core/cache/load-once.ts'
import type { ExecuteAnswer, ExecuteBody } from '../../core/call/execute.ts'
import { problemOf } from '../../core/call/problem.ts'
import { readExecuteBody } from '../../core/call/read-execute.ts'
import { ERRORS, err, Fault, type Result } from '../../core/errors.ts'
import type { DryRunNeeds } from '../../core/flow/dry-run/dry-run.ts'
import type { ExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import type {
  ExecuteNeeds,
  ExecuteRequest,
  ExecuteResponse,
} from '../../core/flow/execute/execute-request.ts'
import { executeSkill } from '../../core/flow/execute/execute-skill.ts'
import { voidCall } from '../../core/flow/execute/void-call.ts'
import type { ExecuteBuiltInNeeds } from '../../core/flow/tools/execute-built-in.ts'
import type { ToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import { jsonBytesOf } from '../../core/json/text-bytes.ts'
import type { CallScope, ExecuteDoor } from '../../core/ports/sessions.ts'
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

type Call = Parameters<ExecuteDoor['execute']>[0]

/** Makes calls in this process. A call whose caller stops waiting is cut and refunded at once. */
export function callsHere(host: ExecuteHost): ExecuteDoor {
  return {
    execute: (call, signal, scope) => answerHere(host, call, signal, scope),
    voidCall: async (call) => {
      const voided = await voidCall(host.ports, call)
      if (!voided.ok) throw new Fault('internal', `a void was refused: ${voided.error.code}`)
    },
  }
}

async function answerHere(
  host: ExecuteHost,
  { authorization, body, task, terms }: Call,
  gone: AbortSignal,
  scope: CallScope,
): Promise<ExecuteAnswer> {
  try {
    const read = readCall(body)
    if (!read.ok) return { kind: 'problem', body: problemOf(read.error) }
    const { alarm } = scope
    const traceId = currentTraceId()
    const request = { authorization, body: read.value, task, terms, gone, alarm, traceId }
    const executing = answerCall(host, { ...request, idempotencyKey: undefined })
    // Also where the caller waits no more: its door stays until the call is refunded.
    scope.follow(executing.then(stepsOf, noSteps))
    return (await executing).answer
  } catch (cause) {
    const refusal = refusalOfThrown(cause)
    const fields = { code: refusal.code, callId: terms.callId }
    host.ports.log.note(ERRORS[refusal.code].logLevel, 'door-failed', fields, cause)
    return { kind: 'problem', body: problemOf(refusal) }
  }
}

/** By the limits of a posted body: as JSON of ours, arguments may be longer than the agent wrote them. */
function readCall(body: ExecuteBody): Result<ExecuteBody> {
  const isLong = jsonBytesOf(body, REQUEST_BODY_BYTES_MAX) > REQUEST_BODY_BYTES_MAX
  return isLong ? err(bodyTooLarge(REQUEST_BODY_BYTES_MAX)) : readExecuteBody(body)
}

const stepsOf = ({ after = [] }: ExecuteResponse) => after
const noSteps = () => []
