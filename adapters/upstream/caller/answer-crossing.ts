/**
 * The function caller's side: makes the one exchange that an event asks for, and answers with its
 * outcome. Keeps nothing but connections, and writes nothing of the event anywhere.
 */
import type { Clock, Upstream, UpstreamLimits } from '../../../core/ports/outside.ts'
import { runWithTrace } from '../../config/trace.ts'
import { type CrossingAnswer, type CrossingRequest, readCrossingRequest } from './crossing.ts'

type Needs = { readonly clock: Pick<Clock, 'alarm' | 'nowMs'>; readonly upstream: Upstream }

/**
 * Undefined if the event is none of a function of this stage. `remainingMs`: the most that the
 * exchange may take.
 */
export async function answerCrossing(
  needs: Needs,
  event: unknown,
  remainingMs: number,
): Promise<CrossingAnswer | undefined> {
  const crossing = readCrossingRequest(event)
  if (crossing === undefined) return undefined
  return runWithTrace(crossing.traceparent, () => makeExchange(needs, crossing, remainingMs))
}

async function makeExchange(
  { clock, upstream }: Needs,
  crossing: CrossingRequest,
  remainingMs: number,
): Promise<CrossingAnswer> {
  const { owner: uid, redirectsMax, request, responseBytesMax, showHeaders } = crossing
  const deadline = new AbortController()
  const cancel = clock.alarm(Math.min(crossing.timeoutMs, remainingMs), () => deadline.abort())
  const steps: { step: CrossingAnswer['steps'][number]['step']; atMs: number }[] = []
  const headers: (readonly string[])[] = []
  const limits: UpstreamLimits = {
    responseBytesMax,
    signal: deadline.signal,
    uid,
    showHeaders,
    ...(redirectsMax === undefined ? {} : { redirectsMax }),
    onStep: (step) => steps.push({ step, atMs: clock.nowMs() }),
    ...(crossing.wantsHeaders ? { onHeaders: (one) => headers.push(one) } : {}),
  }
  try {
    const answer = await upstream.send(request, limits)
    const endMs = clock.nowMs()
    const agos = steps.map(({ atMs, step }) => ({ step, agoMs: Math.max(0, endMs - atMs) }))
    return { answer, steps: agos, headers }
  } finally {
    cancel()
  }
}
