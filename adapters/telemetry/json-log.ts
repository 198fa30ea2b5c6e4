/**
 * One JSON line per call and per note. Only the fields listed below get through, so that no body,
 * token or argument can slip in; causes are reduced to the parts that cause.ts names, with secrets
 * masked. `timestamp` and `level` are the names that Lambda's log filter knows. The notes of a
 * deployed function carry their metrics with them; those of calls are added up (call-metrics.ts).
 */
import { ERRORS } from '../../core/errors.ts'
import type { CallLine, Clock, Log, NoteFields } from '../../core/ports/outside.ts'
import { currentTraceId } from '../config/trace.ts'
import { callMetrics } from './call-metrics.ts'
import { causeOf } from './cause.ts'
import { emfLine } from './emf.ts'
import { masked } from './masked.ts'
import { isErrorCode, type MetricValues, metricsOfCall, metricsOfNote } from './metrics-of.ts'

export type JsonLogOptions = {
  /** Takes one line with its line feed: `(line) => process.stdout.write(line)`. */
  readonly write: (line: string) => unknown
  readonly clock: Pick<Clock, 'nowMs'>
  /** For a deployed function; without it lines carry no metrics. */
  readonly metrics?: { readonly stage: string; readonly door: string } | undefined
}

type Level = 'info' | 'warn' | 'error'

const LEVELS = { info: 'INFO', warn: 'WARN', error: 'ERROR' } as const

/**
 * Ids, counts, codes and names of ours. Add a name here when a note needs one; never a free text.
 * Fields that only a metric needs (`amount`, `delaysMs`) are not listed: the metric has its own
 * member.
 */
const NOTE_FIELDS: ReadonlySet<string> = new Set(
  (
    'action address admin appended attempt backlogMinutes bytes callId code count day days door durationMs entries ' +
    'eventId grantId holds keyStart left limit max method minute minutes objects openMs operation outcome pages profiles ' +
    'reason requestId role rolled seq sequence session skillId source state status table tier tool type uid ' +
    'upstreamStatus version why'
  ).split(' '),
)
/** Our longest id has 64 characters; a far longer text is not an id. */
const FIELD_CHARS_MAX = 200

/** Notes of which each call may make one. */
const NOTES_OF_CALLS: ReadonlySet<string> = new Set(['call-refused'])

export function jsonLog({ write, clock, metrics }: JsonLogOptions): Log {
  const addMetrics = callMetrics(clock)
  const line = (
    level: Level,
    event: string,
    fields: object,
    measured: MetricValues | undefined,
  ) => {
    const nowMs = clock.nowMs()
    const timestamp = timestampOf(nowMs)
    const head = { timestamp, level: LEVELS[level], event, traceId: currentTraceId() }
    const all = { ...head, ...fields }
    const isPlain = metrics === undefined || measured === undefined
    write(`${isPlain ? JSON.stringify(all) : emfLine(all, metrics.stage, measured, nowMs)}\n`)
  }
  const addUp = (measured: MetricValues) => {
    if (metrics === undefined) return
    for (const sums of addMetrics(measured)) {
      const nowMs = clock.nowMs()
      const head = { timestamp: timestampOf(nowMs), level: LEVELS.info, event: 'metrics' }
      write(`${emfLine(head, metrics.stage, sums, nowMs)}\n`)
    }
  }
  const log: Log = {
    call: (call) => {
      line(levelOf(call.code), 'call', callFields(call), undefined)
      addUp(metricsOfCall(call))
    },
    note: (level, event, fields = {}, cause) => {
      const safe = noteFields(fields)
      const all = cause === undefined ? safe : { ...safe, cause: causeOf(cause) }
      const measured = metricsOfNote(event, fields)
      const isOfCall = measured !== undefined && NOTES_OF_CALLS.has(event)
      line(level, event, all, isOfCall ? undefined : measured)
      if (isOfCall) addUp(measured)
    },
  }
  // Written once per process, at its start: the first line of each environment.
  if (metrics !== undefined) log.note('info', 'cold-start', { door: metrics.door })
  return log
}

function noteFields(fields: NoteFields): object {
  const listedFields = Object.entries(fields).filter(([name]) => NOTE_FIELDS.has(name))
  return Object.fromEntries(listedFields.map(([name, value]) => [name, fieldOf(value)]))
}

/** Named one by one: a caller's object may carry more fields than its type says. */
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
    upstreamMs: call.upstreamMs,
    durationMs: call.durationMs,
    charged: call.charged,
    refunded: call.refunded,
    remaining: call.remaining,
    secretsFrom: secretsFrom(call),
  }
}

/** Whose secrets, without their names: `shared,user-skill`. */
function secretsFrom({ secretsUsed = [] }: CallLine): string | undefined {
  if (secretsUsed.length === 0) return undefined
  return [...new Set(secretsUsed.map(({ from }) => from))].sort().join()
}

function fieldOf(value: NoteFields[string]): NoteFields[string] {
  return typeof value === 'string' ? masked(value.slice(0, FIELD_CHARS_MAX).toWellFormed()) : value
}

let lastMs = Number.NaN
let lastTimestamp = ''

/** Kept for a millisecond: the calls of one turn of the event loop end in the same. */
function timestampOf(nowMs: number): string {
  if (nowMs !== lastMs) {
    lastTimestamp = new Date(nowMs).toISOString()
    lastMs = nowMs
  }
  return lastTimestamp
}

function levelOf(code: string | undefined): Level {
  return isErrorCode(code) ? ERRORS[code].logLevel : 'info'
}
