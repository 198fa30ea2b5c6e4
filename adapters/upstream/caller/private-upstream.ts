/**
 * The upstream of private hosts: has the function caller, in the stage's network, make the one
 * exchange. Every outcome comes back as its own kind. Money, secrets' store and results stay here.
 * Bound by docs/service.md, Outbound safety, and ADR 0121.
 */
import { hash } from 'node:crypto'
import { CALL_TIMEOUT_MS } from '../../../core/call/limits.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../../core/call/upstream.ts'
import type { Upstream, UpstreamLimits } from '../../../core/ports/outside.ts'
import { currentTraceparent } from '../../config/trace.ts'
import {
  CROSSING_BODY_BYTES_MAX,
  CROSSING_BYTES_MAX,
  readCrossingAnswer,
  writeCrossingRequest,
} from './crossing.ts'
import { type CallerFunction, type Invoke, makeInvoke } from './invoke-caller.ts'

/** The longest time for which Lambda lets the caller run. A task of hours ends its exchange by it. */
export const EXCHANGE_MS_MAX = 900_000

export function privateUpstream(caller: CallerFunction, nowMs: () => number): Upstream {
  return upstreamOverInvoke(makeInvoke(caller, nowMs))
}

/** Never rejects. */
export function upstreamOverInvoke(invoke: Invoke): Upstream {
  return {
    send: async (request, limits) => {
      const { isHeld = false, signal } = limits
      if (signal.aborted) return { kind: 'cut' }
      if (isHeld) return NOT_HELD
      const event = writeEvent(request, limits)
      if (Buffer.byteLength(event) > CROSSING_BYTES_MAX) return TOO_LARGE_TO_SEND
      const invoked = await invoke(event, signal)
      if (signal.aborted) return { kind: 'cut' }
      switch (invoked.kind) {
        case 'answered':
          return readOutcome(invoked.text, limits)
        case 'not-run':
          return { ...failCaller(`did not run (${invoked.why})`), neverConnected: true }
        case 'in-doubt':
          return failCaller(`gave no answer (${invoked.why})`)
        default:
          return invoked satisfies never
      }
    },
  }
}

const NOT_HELD: UpstreamAnswer = {
  kind: 'refused_target',
  detail: 'it is a private host, whose answers are handed on when they are over',
}

const TOO_LARGE_TO_SEND: UpstreamAnswer = {
  kind: 'refused_target',
  detail: `its request takes more than ${CROSSING_BYTES_MAX} bytes on the way to a private host, where a body takes four bytes for three; send less`,
}

function writeEvent(request: UpstreamRequest, limits: UpstreamLimits): string {
  const { onHeaders, redirectsMax, responseBytesMax, showHeaders, timeoutMs, uid } = limits
  return writeCrossingRequest({
    request,
    owner: hash('sha256', uid, 'base64url'),
    responseBytesMax: Math.min(responseBytesMax, CROSSING_BODY_BYTES_MAX),
    timeoutMs: Math.min(Math.max(0, timeoutMs ?? CALL_TIMEOUT_MS), EXCHANGE_MS_MAX),
    redirectsMax,
    showHeaders,
    wantsHeaders: onHeaders !== undefined,
    traceparent: currentTraceparent(),
  })
}

function readOutcome(text: string, limits: UpstreamLimits): UpstreamAnswer {
  const { onHeaders, onStep } = limits
  const crossed = readCrossingAnswer(text)
  if (crossed === undefined) return failCaller('gave an answer that cannot be read')
  for (const { agoMs, step } of crossed.steps) onStep?.(step, agoMs)
  for (const headers of crossed.headers) onHeaders?.(headers)
  // The deadline came there before it came here.
  return crossed.answer.kind === 'cut' ? NOT_IN_TIME : handOnEvents(crossed.answer, limits)
}

/** A stream of events crosses as one body. */
function handOnEvents(answer: UpstreamAnswer, { onEvents }: UpstreamLimits): UpstreamAnswer {
  if (onEvents === undefined || answer.kind !== 'answered') return answer
  const { body, mediaType, status } = answer.response
  if (status < 200 || status > 299 || mediaType !== 'text/event-stream') return answer
  onEvents(body)
  return { ...answer, response: { ...answer.response, body: new Uint8Array() } }
}

const NOT_IN_TIME: UpstreamAnswer = { kind: 'unreachable', detail: 'did not answer in time' }

/** Says nothing about the host, so its circuit breakers stay as they are. */
function failCaller(what: string): UpstreamAnswer & { kind: 'unreachable' } {
  const detail = `is a private host, and the function caller, which reaches it, ${what}`
  return { kind: 'unreachable', detail, isGatewayFault: true }
}
