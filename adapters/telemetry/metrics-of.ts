/**
 * Makes the metrics of a log line from the fields of a call or a note. A missing field gives no
 * metric. No metric contains anything about a user, a skill or an argument.
 */
import { ERRORS, type ErrorCode } from '../../core/errors.ts'
import { toCreditsNumber } from '../../core/ledger/amount.ts'
import type { CallLine, NoteFields } from '../../core/ports/outside.ts'
import type { METRIC_DIMENSIONS, METRICS } from './names.ts'

type MetricName = (typeof METRICS)[keyof typeof METRICS]
export type DimensionName = (typeof METRIC_DIMENSIONS)[keyof typeof METRIC_DIMENSIONS]

export type MetricValues = {
  readonly values: { readonly [name in MetricName]?: number | readonly number[] | undefined }
  readonly dimensions?: { readonly [name in DimensionName]?: string | undefined }
}

/** `door` is the function that made the call. */
export function measureCall(line: CallLine, door: string): MetricValues {
  const { code, held, outcome, upstreamMs } = line
  const refused = measureRefusal(code)
  const own = measureOwnTime(line, door)
  return {
    values: {
      Calls: 1,
      ...refused.values,
      UpstreamLatencyMs: upstreamMs,
      ...own.values,
      ...(held === 0 ? {} : measureHoldEnd(held, outcome === 'settled')),
    },
    dimensions: { Outcome: outcome, ...refused.dimensions, ...own.dimensions },
  }
}

/**
 * Only a call that asked an upstream has a time of the gateway's own: a refused call ends early, and
 * a job that the sweep ends has the duration of the job.
 */
function measureOwnTime({ durationMs, upstreamMs }: CallLine, door: string): MetricValues {
  if (upstreamMs === undefined) return NOTHING
  const ownMs = Math.max(0, durationMs - upstreamMs)
  return { values: { GatewayLatencyMs: ownMs }, dimensions: { Door: door } }
}

/** Undefined for a note without metrics. */
export function measureNote(event: string, fields: NoteFields): MetricValues | undefined {
  return Object.hasOwn(NOTE_METRICS, event) ? NOTE_METRICS[event]?.(fields) : undefined
}

const NOTE_METRICS: { readonly [event: string]: (fields: NoteFields) => MetricValues } = {
  // `added`: refusals since the address's last line, so that a flood needs only a few lines.
  'admin-refused': ({ added }) => ({ values: { AdminAuthFailures: readNumber(added) } }),
  'call-refused': ({ code }) => measureRefusal(code),
  'call-voided': ({ amount }) => ({
    values: { CreditsVoided: toCreditsNumber(readNumber(amount)) },
  }),
  'cold-start': ({ door }) => ({ values: { ColdStarts: 1 }, dimensions: { Door: String(door) } }),
  'door-failed': ({ code }) => measureRefusal(code),
  // The agent gets an internal error here, and no other note has that metric.
  'execute-unreachable': () => measureRefusal('internal'),
  'hand-on-failed': () => measureRefusal('internal'),
  'hold-healed': ({ amount, reason, state }) => ({
    values: {
      ...measureHoldEnd(readNumber(amount), state === 'settled'),
      // A hold of 0 belongs to a call that is free anyway.
      ...(reason === 'crashed' && readNumber(amount) > 0 ? { CallsFreeByCrash: 1 } : {}),
    },
  }),
  'message-failed': ({ code }) => measureRefusal(code),
  'replies-delivered': ({ delaysMs }) => ({ values: { ReplyDelayMs: readNumbers(delaysMs) } }),
  'secret-unreadable': ({ why }) =>
    typeof why === 'string' && SECRET_FAULTS.has(why)
      ? { values: { SecretsUnreadable: 1 }, dimensions: { Why: why } }
      : NOTHING,
  'stream-opened': ({ count }) => ({ values: { OpenStreams: readNumber(count) } }),
  'stream-refused': ({ code }) => measureRefusal(code),
  'stream-tail-moved': ({ count }) => ({ values: { StreamsMoved: readNumber(count) } }),
  'streams-full': ({ count }) => ({ values: { OpenStreams: readNumber(count) } }),
  'sweep-done': ({ backlogMinutes }) => ({
    values: { SweepBacklogMinutes: readNumber(backlogMinutes) },
  }),
  // Without a charge there is no value, so a batch of free calls costs no series.
  'usage-taken': ({ amount }) => ({
    values: amount === 0 ? {} : { CreditsSummed: toCreditsNumber(readNumber(amount)) },
  }),
  'upstream-stale': () => ({ values: { UpstreamToolsChanged: 1 } }),
  'upstream-tools-changed': (fields) => ({
    values: { UpstreamToolsChanged: countTools(fields) },
  }),
}

/** The values of `why`: any other would be a billed series of its own. */
const SECRET_FAULTS: ReadonlySet<string> = new Set([
  'denied',
  'foreign',
  'unavailable',
  'store',
  'code',
])

/** Tools that a listing found changed, flagged, new or gone. */
function countTools({ added, changed, flagged, gone }: NoteFields): number {
  return [added, changed, flagged, gone].reduce<number>((sum, one) => sum + readNumber(one), 0)
}

/** A hold ends as a charge or a refund, so the held sum is the sum of settled and refunded. */
function measureHoldEnd(amount: number, isCharge: boolean): MetricValues['values'] {
  const credits = toCreditsNumber(amount)
  return { CreditsHeld: credits, [isCharge ? 'CreditsSettled' : 'CreditsRefunded']: credits }
}

/**
 * Accepts only error codes of core/errors.ts: any other value would be a billed series of its own.
 */
function measureRefusal(code: NoteFields[string]): MetricValues {
  return isErrorCode(code) ? { values: { Refusals: 1 }, dimensions: { Code: code } } : NOTHING
}

const NOTHING: MetricValues = { values: {} }

export function isErrorCode(code: NoteFields[string]): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code)
}

/** A note without its field is a bug; NaN leaves the value out, where 0 would be counted. */
function readNumber(field: NoteFields[string]): number {
  return typeof field === 'number' ? field : Number.NaN
}

function readNumbers(field: NoteFields[string]): readonly number[] {
  return Array.isArray(field) ? field : []
}
