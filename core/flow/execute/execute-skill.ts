/**
 * POST /v1/execute: the only flow that spends credits or calls an upstream. Order (docs/service.md,
 * Order of a call): authenticate → begin (count ∥ candidates ∥ sweep entry ∥ claim → validate →
 * hold) → run → answer → settle. Two store round trips in a row before the upstream with a warm key
 * cache, three cold; none between a successful answer and ours: the caller of this flow sends
 * `answer` first and runs `after` behind it.
 *
 *   success    answer ─▶ outcome settled ─▶ release          (dies in between: the call was free)
 *   failure    outcome refunded ─▶ release ─▶ answer         (what it says of credits is true)
 *   with an Idempotency-Key: keep the answer ─▶ outcome ─▶ release ─▶ answer
 */
import { callIdAt } from '../../call/call-id.ts'
import type { Refusal } from '../../errors.ts'
import type { Settings } from '../../settings.ts'
import { authenticate } from '../access/authenticate.ts'
import type { ExecuteCaches } from './execute-caches.ts'
import {
  type ExecuteNeeds,
  type ExecuteRequest,
  type ExecuteResponse,
  problemAnswer,
} from './execute-request.ts'
import { freeKey, keepAnswer, keyedCall } from './idempotent-call.ts'
import { reserveCall } from './reserve-call.ts'
import { runCall } from './run-call.ts'

/** Refusals and failures are answers (`problem`); throws `Fault` only for store trouble before the hold. */
export async function executeSkill(
  ports: ExecuteNeeds,
  settings: Settings,
  caches: ExecuteCaches,
  request: ExecuteRequest,
): Promise<ExecuteResponse> {
  const startedAtMs = ports.clock.nowMs()
  const callId = request.terms?.callId ?? callIdAt(startedAtMs, ports.ids.token(16))
  const who = await authenticate(ports, request.authorization)
  if (who.kind !== 'principal') {
    const refusal = who.kind === 'refused' ? who.refusal : NO_KEY
    ports.log.note('info', 'call-refused', { callId, code: refusal.code })
    return { ...problemAnswer(callId, refusal), headers: {} }
  }
  const { principal } = who
  const keyed = keyedCall(ports, request, principal, { callId, startedAtMs })
  const attempt = { request, principal, callId, startedAtMs, keyed }
  const begun = await reserveCall(ports, settings, caches.sweepEntries, attempt).catch(
    async (cause: unknown) => {
      // No upstream was asked: if a hold got through all the same, the sweep gives it back.
      await freeKey(ports, keyed)
      throw cause
    },
  )
  if (begun.kind === 'refused') await freeKey(ports, keyed)
  if (begun.kind !== 'held') return begun.executed
  const gone = keyed === undefined ? request.gone : NEVER_GONE
  const ran = await runCall(ports, caches.upstreams, begun, { ...request, gone })
  const executed = { ...ran, headers: begun.headers }
  if (keyed === undefined) return executed
  if (ran.unasked !== true) return keepAnswer(ports, keyed, executed)
  // As with a refusal: a secret that is set now, or an upstream that is back, may be asked.
  await freeKey(ports, keyed)
  return executed
}

const NO_KEY: Refusal = {
  code: 'unauthenticated',
  detail: 'Authorization: is missing. Send Authorization: Bearer <API key>.',
}

const NEVER_GONE = new AbortController().signal
