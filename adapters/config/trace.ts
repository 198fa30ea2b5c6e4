/**
 * The trace of the current request: one id for everything that a request causes, from the first
 * door to the upstream. The header `traceparent` carries the id. There are no spans and no
 * `tracestate`; log lines are the record. This file is in adapters/config, because every adapter
 * may import that folder. Bound by W3C Trace Context (Recommendation of 2021), sections 3.2 and 4.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomFillSync } from 'node:crypto'

type Headers = { readonly [name: string]: string | undefined }
type Trace = { readonly traceId: string; readonly traceparent: string }
type Incoming = { readonly traceId: string; readonly flags: string }

const running = new AsyncLocalStorage<Trace | undefined>()

/**
 * The trace of a request, for {@link runWithTrace}: its `traceparent`, or else the X-Ray header
 * that Lambda and API Gateway add. An X-Ray id is a trace id with two dashes, so logs and X-Ray
 * have the same id.
 */
export function readIncomingTrace(headers: Headers): string | undefined {
  const { traceparent } = headers
  return readTraceparent(traceparent) === undefined ? headers['x-amzn-trace-id'] : traceparent
}

/** Runs `work`, and everything that it starts, in the incoming trace or in a new one. */
export function runWithTrace<T>(incoming: string | undefined, work: () => T): T {
  const came = readTraceparent(incoming) ?? readXRay(incoming)
  const { traceId, flags } = came ?? { traceId: randomHex(TRACE_ID_BYTES), flags: SAMPLED }
  const traceparent = `00-${traceId}-${randomHex(SPAN_ID_BYTES)}-${flags}`
  return running.run({ traceId, traceparent }, work)
}

/**
 * Runs `work`, and everything that it starts, outside any trace. This is for what a request starts
 * and the whole process shares, such as a timer or a thread, which outlives that request.
 */
export function runOutsideTrace<T>(work: () => T): T {
  return running.run(undefined, work)
}

/** The header for outgoing requests, with this process as the parent; undefined outside a trace. */
export function currentTraceparent(): string | undefined {
  return running.getStore()?.traceparent
}

/** The id for log lines: 32 hex digits; undefined outside a trace. */
export function currentTraceId(): string | undefined {
  return running.getStore()?.traceId
}

const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8
/** Flags of a new trace: upstreams that support the flag record the trace. */
const SAMPLED = '01'
const NOT_SAMPLED = '00'

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/
const X_RAY_ROOT = /(?:^|;) ?Root=1-([0-9a-f]{8})-([0-9a-f]{24})(?:;|$)/
const ALL_ZERO = /^0+$/

/** Strict, because a client sends the header, and only valid values may be passed on. */
function readTraceparent(text: string | undefined): Incoming | undefined {
  const [, traceId, parentId, flags] = TRACEPARENT.exec(text ?? '') ?? []
  if (traceId === undefined || parentId === undefined || flags === undefined) return undefined
  if (ALL_ZERO.test(traceId) || ALL_ZERO.test(parentId)) return undefined
  // Version 00 defines only this flag; other flags must not be passed on.
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1
  return { traceId, flags: isSampled ? SAMPLED : NOT_SAMPLED }
}

function readXRay(text: string | undefined): Incoming | undefined {
  const [, seconds, rest] = X_RAY_ROOT.exec(text ?? '') ?? []
  if (seconds === undefined || rest === undefined || ALL_ZERO.test(seconds + rest)) return undefined
  return { traceId: seconds + rest, flags: SAMPLED }
}

/**
 * Random bytes drawn in bulk: a system call for each id would cost more than the rest of a trace.
 */
const pool = Buffer.alloc(4_096)
let at = pool.length

function randomHex(bytes: number): string {
  if (at + bytes > pool.length) {
    randomFillSync(pool)
    at = 0
  }
  at += bytes
  return pool.toString('hex', at - bytes, at)
}
