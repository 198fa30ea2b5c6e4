/**
 * The upstream under the 15 s guard, the caller's leaving and a void: whichever comes first cuts it.
 * Answers what became of it; moves no money. Bound by the spec (Errors) and design section 4.
 */
import { DEADLINE_MARGIN_MS, VOID_WATCH_MS } from '../call/limits.ts'
import { toResult } from '../call/to-result.ts'
import type { UpstreamAnswer } from '../call/upstream.ts'
import { type ErrorCode, err, type Result } from '../errors.ts'
import type { RefundReason } from '../ledger/ledger.ts'
import type { ToolResult } from '../mcp/content.ts'
import type { ExecuteNeeds, ExecuteRequest } from './execute-request.ts'
import type { ReadyCall } from './prepare-call.ts'

export type Failure = { readonly code: ErrorCode & RefundReason; readonly detail: string }
/** What the log and the ledger keep of the upstream's part. */
export type UpstreamSeen = {
  readonly upstreamStatus: number | undefined
  /** From sending to the last byte, or to the cut; undefined when nothing was sent. */
  readonly upstreamMs: number | undefined
}
export type Ran = { readonly result: Result<ToolResult, Failure>; readonly seen: UpstreamSeen }

/** Upstream against the guard, the caller's leaving and a void; whichever comes first cuts it. */
export async function runGuarded(
  ports: ExecuteNeeds,
  call: ReadyCall,
  request: ExecuteRequest,
): Promise<Ran> {
  const cut = new AbortController()
  let why: 'timed_out' | 'cancelled' = 'timed_out'
  const stopped = Promise.withResolvers<UpstreamAnswer>()
  const stop = (reason: 'timed_out' | 'cancelled') => {
    if (!cut.signal.aborted) why = reason
    cut.abort(OVER)
    stopped.resolve({ kind: 'cut' })
  }
  const onGone = () => stop('cancelled')
  if (request.gone.aborted) onGone()
  request.gone.addEventListener('abort', onGone, { once: true })
  const budgetMs = budgetOf(ports, call, request)
  void watch(ports, call, budgetMs, cut.signal, stop)
  const limits = { responseBytesMax: call.skill.responseBytesMax, signal: cut.signal }
  const sentAtMs = ports.clock.nowMs()
  const sent = ports.upstream.send(call.request, limits).catch((cause: unknown) => {
    ports.log.note('error', 'upstream-port-threw', { callId: call.callId }, cause)
    return { kind: 'unreachable' as const, detail: 'the gateway failed at the request' }
  })
  // A race: an upstream adapter that is slow to obey the signal must not outlast the guard.
  const answer = await Promise.race([sent, stopped.promise])
  const upstreamMs = answer.kind === 'refused_target' ? undefined : ports.clock.nowMs() - sentAtMs
  const upstreamStatus = answer.kind === 'answered' ? answer.response.status : undefined
  const result = judge(call, answer, why, budgetMs)
  request.gone.removeEventListener('abort', onGone)
  cut.abort(OVER)
  return { result, seen: { upstreamStatus, upstreamMs } }
}

/** Without a reason each abort makes an exception with a stack: 30 µs of every call. */
const OVER = 'over'

/** What is left of the guard, less the time to refund and answer where a caller set the deadline. */
function budgetOf(ports: ExecuteNeeds, call: ReadyCall, request: ExecuteRequest): number {
  const marginMs = request.terms === undefined ? 0 : DEADLINE_MARGIN_MS
  const leftMs = call.deadlineMs - marginMs - ports.clock.nowMs()
  return Math.max(1, Math.min(call.skill.timeoutMs, leftMs))
}

/**
 * Stops the call when its time is over, or when an outcome appears while it runs: it was voided,
 * nobody wants it any more. Nothing waits for a look: the guard holds while the store hangs.
 */
async function watch(
  ports: ExecuteNeeds,
  call: ReadyCall,
  budgetMs: number,
  done: AbortSignal,
  stop: (reason: 'timed_out' | 'cancelled') => void,
): Promise<void> {
  const key = { uid: call.principal.uid, callId: call.callId }
  for (let leftMs = budgetMs; leftMs > 0; leftMs -= VOID_WATCH_MS) {
    await ports.clock.sleep(Math.min(leftMs, VOID_WATCH_MS), done)
    if (done.aborted) return
    if (leftMs > VOID_WATCH_MS) {
      const look = ports.ledger.find(key).catch(() => undefined)
      void look.then((outcome) => outcome !== undefined && stop('cancelled'))
    }
  }
  stop('timed_out')
}

function judge(
  call: ReadyCall,
  answer: UpstreamAnswer,
  why: 'timed_out' | 'cancelled',
  budgetMs: number,
): Result<ToolResult, Failure> {
  if (answer.kind === 'answered') {
    const result = toResult(answer.response, call.skill)
    return result.ok ? result : failed('upstream_failed', result.error.detail)
  }
  const code = answer.kind === 'cut' ? why : 'upstream_failed'
  return failed(code, failureText(answer, why, budgetMs))
}

function failureText(
  answer: Exclude<UpstreamAnswer, { kind: 'answered' }>,
  why: 'timed_out' | 'cancelled',
  budgetMs: number,
): string {
  switch (answer.kind) {
    case 'cut':
      return why === 'cancelled'
        ? 'The call was cancelled.'
        : `The upstream did not answer within ${(budgetMs / 1000).toFixed(1)} s and was cut.`
    case 'refused_target':
    case 'unreachable':
      return `The upstream could not be reached: ${answer.detail.replace(/\.$/, '')}.`
    case 'too_large':
      return `The upstream's answer is larger than ${answer.bytesMax} bytes. Ask it for less.`
    default:
      return answer satisfies never
  }
}

function failed(code: Failure['code'], detail: string): Result<ToolResult, Failure> {
  return err({ code, detail })
}
