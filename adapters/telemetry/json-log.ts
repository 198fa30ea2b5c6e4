/**
 * One JSON line per call and per note. Only fields on the list below get through, so that no body,
 * token or argument can slip in; causes are cut down to what they are, with secrets masked.
 * `timestamp` and `level` are the names by which Lambda's log filter knows them. A deployed function's
 * lines carry their metrics with them, never a second line.
 */
import { ERRORS } from '../../core/errors.ts'
import type { CallLine, Clock, Log, NoteFields } from '../../core/ports.ts'
import { currentTraceId } from '../config/trace.ts'
import { causeOf } from './cause.ts'
import { emfLine } from './emf.ts'
import { masked } from './masked.ts'
import { isErrorCode, type MetricValues, metricsOfCall, metricsOfNote } from './metrics-of.ts'

export type JsonLogOptions = {
  /** Takes one line with its line feed: `(line) => process.stdout.write(line)`. */
  readonly write: (line: string) => unknown
  readonly clock: Pick<Clock, 'nowMs'>
  /** Of a deployed function; without it lines carry no metrics. */
  readonly metrics?: { readonly stage: string; readonly door: string } | undefined
}

type Level = 'info' | 'warn' | 'error'

/**
 * Ids, counts, codes and names of ours. Add a name here when a note needs one; never a free text.
 * What only a metric needs (`amount`, `delaysMs`) is not on it: the metric's own member says it.
 */
const NOTE_FIELDS: ReadonlySet<string> = new Set(
  (
    'action appended attempt backlogMinutes bytes callId code count door durationMs grantId holds ' +
    'limit max method minute minutes openMs operation outcome profiles reason requestId session seq skillId source state ' +
    'status table tier tool uid upstreamStatus version why'
  ).split(' '),
)
/** Longest id of ours is 64 characters; anything far longer is not an id. */
const FIELD_CHARS_MAX = 200

export function jsonLog({ write, clock, metrics }: JsonLogOptions): Log {
  const line = (
    level: Level,
    event: string,
    fields: object,
    measured: MetricValues | undefined,
  ) => {
    const nowMs = clock.nowMs()
    const timestamp = new Date(nowMs).toISOString()
    const head = { timestamp, level: level.toUpperCase(), event, traceId: currentTraceId() }
    const all = { ...head, ...fields }
    const isPlain = metrics === undefined || measured === undefined
    write(`${isPlain ? JSON.stringify(all) : emfLine(all, metrics.stage, measured, nowMs)}\n`)
  }
  const log: Log = {
    call: (call) => line(levelOf(call.code), 'call', callFields(call), metricsOfCall(call)),
    note: (level, event, fields = {}, cause) => {
      const safe = noteFields(fields)
      const all = cause === undefined ? safe : { ...safe, cause: causeOf(cause) }
      line(level, event, all, metricsOfNote(event, fields))
    },
  }
  // Made once per process, in its init: the first line of each environment.
  if (metrics !== undefined) log.note('info', 'cold-start', { door: metrics.door })
  return log
}

function noteFields(fields: NoteFields): object {
  const kept = Object.entries(fields).filter(([name]) => NOTE_FIELDS.has(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, fieldOf(value)]))
}

/** Named one by one: a caller's object may carry more than its type says. */
function callFields(call: CallLine): object {
  return {
    callId: fieldOf(call.callId),
    uid: fieldOf(call.uid),
    username: fieldOf(call.username),
    skillId: fieldOf(call.skillId),
    source: call.source,
    outcome: call.outcome,
    code: call.code,
    upstreamStatus: call.upstreamStatus,
    durationMs: call.durationMs,
    charged: call.charged,
    refunded: call.refunded,
    remaining: call.remaining,
  }
}

function fieldOf(value: NoteFields[string]): NoteFields[string] {
  return typeof value === 'string' ? masked(value.slice(0, FIELD_CHARS_MAX).toWellFormed()) : value
}

function levelOf(code: string | undefined): Level {
  return isErrorCode(code) ? ERRORS[code].logLevel : 'info'
}
