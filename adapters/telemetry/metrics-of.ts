/**
 * The metrics of a log line: facts of calls and notes in, values out. A fact that is missing from
 * the line's fields is no metric. No metric contains anything of a user, a skill or an argument.
 */
import { ERRORS, type ErrorCode } from '../../core/errors.ts'
import { creditsNumber } from '../../core/ledger/amount.ts'
import type { CallLine, NoteFields } from '../../core/ports/outside.ts'
import type { METRIC_DIMENSIONS, METRICS } from './names.ts'

type MetricName = (typeof METRICS)[keyof typeof METRICS]
export type DimensionName = (typeof METRIC_DIMENSIONS)[keyof typeof METRIC_DIMENSIONS]

export type MetricValues = {
  readonly values: { readonly [name in MetricName]?: number | readonly number[] | undefined }
  readonly dimensions?: { readonly [name in DimensionName]?: string | undefined }
}

export function metricsOfCall(line: CallLine): MetricValues {
  const { code, held, outcome, upstreamMs } = line
  const refused = refusal(code)
  return {
    values: {
      Calls: 1,
      ...refused.values,
      UpstreamLatencyMs: upstreamMs,
      ...(held === 0 ? {} : endOfHold(held, outcome === 'settled')),
    },
    dimensions: { Outcome: outcome, ...refused.dimensions },
  }
}

/** Undefined for a note that measures nothing. */
export function metricsOfNote(event: string, fields: NoteFields): MetricValues | undefined {
  return Object.hasOwn(NOTES, event) ? NOTES[event]?.(fields) : undefined
}

const NOTES: { readonly [event: string]: (fields: NoteFields) => MetricValues } = {
  // `added`: since the address's last line of the minute, so that a flood is counted in a few lines.
  'admin-refused': ({ added }) => ({ values: { AdminAuthFailures: numberOf(added) } }),
  'call-refused': ({ code }) => refusal(code),
  'call-voided': ({ amount }) => ({ values: { CreditsVoided: creditsNumber(numberOf(amount)) } }),
  'cold-start': ({ door }) => ({ values: { ColdStarts: 1 }, dimensions: { Door: String(door) } }),
  'door-failed': ({ code }) => refusal(code),
  // The agent gets an internal error here; no other note counts it.
  'execute-unreachable': () => refusal('internal'),
  'hand-on-failed': () => refusal('internal'),
  'hold-healed': ({ amount, reason, state }) => ({
    values: {
      ...endOfHold(numberOf(amount), state === 'settled'),
      ...(reason === 'crashed' ? { CallsFreeByCrash: 1 } : {}),
    },
  }),
  'message-failed': ({ code }) => refusal(code),
  'replies-delivered': ({ delaysMs }) => ({ values: { ReplyDelayMs: numbersOf(delaysMs) } }),
  'stream-opened': ({ count }) => ({ values: { OpenStreams: numberOf(count) } }),
  'stream-refused': ({ code }) => refusal(code),
  'stream-tail-moved': ({ count }) => ({ values: { StreamsMoved: numberOf(count) } }),
  'streams-full': ({ count }) => ({ values: { OpenStreams: numberOf(count) } }),
  'sweep-done': ({ backlogMinutes }) => ({
    values: { SweepBacklogMinutes: numberOf(backlogMinutes) },
  }),
}

/** A hold ends as a charge or as nothing: the held sum equals the settled and refunded sums. */
function endOfHold(amount: number, isCharge: boolean): MetricValues['values'] {
  const credits = creditsNumber(amount)
  return { CreditsHeld: credits, [isCharge ? 'CreditsSettled' : 'CreditsRefunded']: credits }
}

/** Only codes of the error vocabulary: any other value would be a billed series of its own. */
function refusal(code: NoteFields[string]): MetricValues {
  return isErrorCode(code) ? { values: { Refusals: 1 }, dimensions: { Code: code } } : NOTHING
}

const NOTHING: MetricValues = { values: {} }

export function isErrorCode(code: NoteFields[string]): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code)
}

/** A note without its field is a bug; NaN leaves the value out instead of counting 0. */
function numberOf(field: NoteFields[string]): number {
  return typeof field === 'number' ? field : Number.NaN
}

function numbersOf(field: NoteFields[string]): readonly number[] {
  return Array.isArray(field) ? field : []
}
