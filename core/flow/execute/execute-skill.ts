/**
 * POST /v1/execute: the only flow that spends credits or calls an upstream. Order (docs/service.md,
 * Order of a call): authenticate → reserve (count ∥ candidates ∥ claim → validate → hold) → run →
 * answer → settle. A call waits for two store round trips before its upstream if the API key is
 * cached, and for three if not. A call without an Idempotency-Key waits for none between the
 * upstream's success and the answer: the caller of this flow sends `answer` first, then runs
 * `after`.
 *
 *   success    answer ─▶ outcome settled ─▶ release          (if it dies in between, the call was free)
 *   failure    outcome refunded ─▶ release ─▶ answer         (the credits in the answer are exact)
 *   as a task: keep the answer as the task's result ─▶ outcome ─▶ release (run-as-task.ts)
 *   with an Idempotency-Key: keep the answer ─▶ outcome ─▶ release ─▶ answer
 */
import type { Principal } from '../../access/principal.ts'
import { makeCallId } from '../../call/call-id.ts'
import { err, ok, type Result } from '../../errors.ts'
import type { Step } from '../../ports/sessions.ts'
import type { SecretPlace } from '../../secrets/secret.ts'
import type { Settings } from '../../settings.ts'
import {
  type Authentication,
  authenticate,
  CALL_SCOPE_MISSING,
  KEY_MISSING,
} from '../access/authenticate.ts'
import type { ExecuteCaches } from './execute-caches.ts'
import {
  type EndedCall,
  type ExecuteNeeds,
  type ExecuteRequest,
  type ExecuteResponse,
  toProblemAnswer,
} from './execute-request.ts'
import { freeKey, isTakenBack, type KeyedCall, keepAnswer, toKeyedCall } from './idempotent-call.ts'
import { freeState } from './input-state.ts'
import { type Reservation, reserveCall } from './reserve-call.ts'
import { beginTask, endTask, handOverJob } from './run-as-task.ts'
import { runCall } from './run-call.ts'
import type { SecretUses } from './secret-uses.ts'
import type { ReadyCall } from './validate-call.ts'

/**
 * Runs one call. Refusals and failures are answers (`problem`). Throws `Fault` only if the store
 * fails before or during the hold.
 */
export async function executeSkill(
  ports: ExecuteNeeds,
  settings: Settings,
  caches: ExecuteCaches,
  request: ExecuteRequest,
): Promise<ExecuteResponse> {
  const startedAtMs = ports.clock.nowMs()
  const callId = request.terms?.callId ?? makeCallId(startedAtMs, ports.ids.token(16))
  const authentication = await authenticate(ports, request.credential)
  const caller = findCaller(authentication)
  if (!caller.ok) {
    ports.log.note('info', 'call-refused', { callId, code: caller.error.code })
    return { ...toProblemAnswer(callId, caller.error), headers: {} }
  }
  const principal = caller.value
  const authMs = ports.clock.nowMs() - startedAtMs
  const keyed = toKeyedCall(ports, request, principal, { callId, startedAtMs })
  const attempt = { request, principal, callId, startedAtMs, authMs, keyed }
  let reservation: Reservation
  try {
    reservation = await reserveCall(ports, settings, attempt)
  } catch (cause) {
    // No upstream was called. If the hold was written in spite of the error, the sweep gives it
    // back.
    await freeKey(ports, keyed)
    throw cause
  }
  if (reservation.kind === 'refused') await freeKey(ports, keyed)
  if (reservation.kind !== 'held') return reservation.executed
  const gone = keyed === undefined ? request.gone : goneOfKeyed(request)
  beginTask(ports, request, reservation.call, keyed)
  const run = await runCall(ports, caches.upstreams, reservation, {
    ...request,
    gone,
    linkSettings: settings,
  })
  await freeUnusedState(ports, reservation.call, run)
  return endRun(ports, caches, { ...attempt, reservation, run })
}

/** The user who may make calls. */
function findCaller(authentication: Authentication): Result<Principal> {
  switch (authentication.kind) {
    case 'anonymous':
      return err(KEY_MISSING)
    case 'refused':
      return err(authentication.refusal)
    case 'principal':
      return authentication.principal.isReadOnly === true
        ? err(CALL_SCOPE_MISSING)
        : ok(authentication.principal)
    default:
      return authentication satisfies never
  }
}

type Ended = {
  readonly request: ExecuteRequest
  readonly keyed: KeyedCall | undefined
  readonly reservation: HeldReservation
  readonly run: EndedCall
}

type HeldReservation = Extract<Reservation, { readonly kind: 'held' }>

/** Ends a call that has run: as a task, under its Idempotency-Key, or behind its answer. */
async function endRun(
  ports: ExecuteNeeds,
  { secretUses, upstreams }: ExecuteCaches,
  { keyed, request, reservation, run }: Ended,
): Promise<ExecuteResponse> {
  const { begun, settle, after = [], ...ended } = run
  const { headers } = reservation
  // These steps run after the answer is sent; an event follows the end of the call.
  const behind = [...useSteps(ports, secretUses, ended.sharedSent), ...after]
  const all = settle === undefined ? behind : [settle, ...behind]
  if (begun !== undefined && request.task !== undefined) {
    const stops = await handOverJob(ports, upstreams, request.task, { reservation, begun })
    return { ...ended, headers, after: [...behind, ...stops] }
  }
  const { skillId, source } = reservation.call.record
  const keep = async () => {
    if (keyed !== undefined) await keepAnswer(ports, keyed, { answer: run.answer, skillId, source })
  }
  if (reservation.call.untilMs !== undefined && request.task !== undefined) {
    const isDone = await endTask(ports, request.task, reservation.call, { ...run, keep })
    if (isDone) return { ...ended, headers, after: behind }
  }
  if (keyed === undefined) return { ...ended, headers, after: all }
  if (run.freesKey === true || isTakenBack(run.answer)) {
    // A retry with this key may succeed later, for example when a secret is set or the upstream is
    // up.
    await freeKey(ports, keyed)
    return { ...ended, headers, after: all }
  }
  await keep()
  await settle?.()
  return { ...ended, headers, after: behind }
}

/**
 * Frees the state of a call that sent nothing. An upstream that asks for more input has used the
 * state and sends a new one, so that state stays claimed.
 */
async function freeUnusedState(
  ports: ExecuteNeeds,
  { callId, principal, stateHash }: ReadyCall,
  { answer, freesKey }: Pick<ExecuteResponse, 'answer' | 'freesKey'>,
): Promise<void> {
  if (stateHash === undefined || freesKey !== true || answer.kind === 'input') return
  await freeState(ports, { callId, principal, stateHash })
}

/**
 * Returns the step that notes the use of shared secrets; empty for most calls, as it is due daily.
 */
function useSteps(
  ports: ExecuteNeeds,
  uses: SecretUses,
  sent: readonly SecretPlace[] = [],
): readonly Step[] {
  return uses.isDue(ports.clock.nowMs(), sent) ? [() => uses.note(ports, sent)] : []
}

/**
 * The signal that ends a call with an Idempotency-Key. A REST client that disconnects is expected
 * to repeat the request, so its call runs on. Our own functions abort the signal only for a call
 * that was taken back.
 */
function goneOfKeyed({ gone, terms }: ExecuteRequest): AbortSignal {
  return terms === undefined ? NEVER_GONE : gone
}

const NEVER_GONE = new AbortController().signal
