/**
 * Answers a call whose body was read: a built-in tool answers by itself, any other name is a skill.
 * The execute door passes a posted body, and `callsHere` lets the other doors of a process make
 * calls without HTTP. The same tests check both ways (test/contracts/execute-contract.ts). Bound by
 * ADR 0062.
 */
import { currentTraceId } from '../../adapters/config/trace.ts'
import { toThrownRefusal } from '../../adapters/http/problem.ts'
import { makeTooLargeRefusal, REQUEST_BODY_BYTES_MAX } from '../../adapters/http/request.ts'
import { loadOnce } from '../../core/cache/load-once.ts'
import type { ExecuteBody, GivenAnswer } from '../../core/call/execute.ts'
import { toProblem } from '../../core/call/problem.ts'
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
import type { JobHost, LookAfterNeeds } from '../../core/flow/jobs/look-after-job.ts'
import { toAskedTool } from '../../core/flow/tools/call-by-name.ts'
import type { ExecuteBuiltInNeeds } from '../../core/flow/tools/execute-built-in.ts'
import type { ToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import { countJsonBytes } from '../../core/json/text-bytes.ts'
import type { JobVisits } from '../../core/ports/jobs.ts'
import type { CallScope, ExecuteDoor } from '../../core/ports/sessions.ts'
import type { Settings } from '../../core/settings.ts'
import { type BuiltInName, findBuiltInName } from '../../core/skills/built-in-names.ts'

export type ExecutePorts = ExecuteNeeds &
  Omit<ExecuteBuiltInNeeds, 'execute' | 'jobVisits'> &
  DryRunNeeds &
  LookAfterNeeds

export type ExecuteHost = {
  readonly ports: ExecutePorts
  readonly settings: Settings
  readonly caches: ExecuteCaches
  /** Cached tool lists of this process, for the built-in search. */
  readonly lists: ToolListCache
}

const builtInCode = loadOnce(() => import('../../core/flow/tools/execute-built-in.ts'))

/**
 * Answers one call. Throws a `Fault` if the store does not answer. The code of built-in tools is
 * loaded with their first call.
 */
export function answerCall(host: ExecuteHost, sent: ExecuteRequest): Promise<ExecuteResponse> {
  const { caches, ports, settings } = host
  const {
    arguments: args,
    byName,
    name: skill,
  } = toAskedTool(settings.prefix, sent.body.skill, sent.body.arguments)
  const request = byName
    ? { ...sent, byName, body: { ...sent.body, skill, arguments: args } }
    : sent
  const name = findBuiltInName(settings.prefix, skill)
  return name === undefined
    ? executeSkill(ports, settings, caches, request)
    : answerBuiltIn(host, name, request)
}

async function answerBuiltIn(
  host: ExecuteHost,
  name: BuiltInName,
  { body, byName, credential, terms }: ExecuteRequest,
): Promise<ExecuteResponse> {
  const { executeBuiltIn } = await builtInCode()
  const { lists, settings } = host
  const ports = { ...host.ports, execute: callsHere(host), jobVisits: visitsHere(host) }
  const callId = terms?.callId
  const execution = { credential, name, arguments: body.arguments, byName, callId, lists }
  return executeBuiltIn(ports, settings, execution)
}

const jobCode = loadOnce(() => import('../../core/flow/jobs/look-after-job.ts'))

/**
 * Visits the upstreams of jobs in this process. Few skills have any, so their code is loaded late.
 */
export function visitsHere(host: JobHost): JobVisits {
  return {
    visit: async (errand) => {
      const { lookAfterJob } = await jobCode()
      return lookAfterJob(host, errand)
    },
    answer: async (answers) => (await jobCode()).answerJob(host, answers),
  }
}

type Call = Parameters<ExecuteDoor['execute']>[0]

/**
 * Returns an execute door that makes calls in this process. If the caller stops waiting, the call
 * is ended and refunded at once.
 */
export function callsHere(host: ExecuteHost): ExecuteDoor {
  return {
    execute: (call, signal, scope) => answerHere(host, call, signal, scope),
    voidCall: async (call) => {
      const voided = await voidCall(host.ports, call)
      if (!voided.ok) throw new Fault('internal', `a void was refused: ${voided.error.code}`)
      return voided.value.state === 'refunded' ? 'free' : 'charged'
    },
  }
}

async function answerHere(
  host: ExecuteHost,
  { body, callerToken, credential, idempotencyKey, listener, task, terms }: Call,
  gone: AbortSignal,
  scope: CallScope,
): Promise<GivenAnswer> {
  try {
    const read = readCall(body)
    if (!read.ok) return { kind: 'problem', body: toProblem(read.error) }
    const { alarm } = scope
    const traceId = currentTraceId()
    const request = {
      callerToken,
      credential,
      body: read.value,
      task,
      terms,
      gone,
      alarm,
      traceId,
      listener,
    }
    const executing = answerCall(host, { ...request, idempotencyKey })
    // The scope also follows a call whose caller stopped waiting: the door stays open until the
    // call is refunded.
    scope.follow(executing.then(stepsOf, noSteps))
    const { answer, replayed } = await executing
    return replayed === undefined ? answer : { ...answer, replayed }
  } catch (cause) {
    const refusal = toThrownRefusal(cause)
    const fields = { code: refusal.code, callId: terms.callId }
    host.ports.log.note(ERRORS[refusal.code].logLevel, 'door-failed', fields, cause)
    return { kind: 'problem', body: toProblem(refusal) }
  }
}

/**
 * Checks the body by the limits of a posted body: written as JSON by the gateway, arguments may be
 * longer than the agent wrote them.
 */
function readCall(body: ExecuteBody): Result<ExecuteBody> {
  const isLong = countJsonBytes(body, REQUEST_BODY_BYTES_MAX) > REQUEST_BODY_BYTES_MAX
  return isLong ? err(makeTooLargeRefusal(REQUEST_BODY_BYTES_MAX)) : readExecuteBody(body)
}

const stepsOf = ({ after = [] }: ExecuteResponse) => after
const noSteps = () => []
