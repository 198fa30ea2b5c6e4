/**
 * Writes one JSON line per note, and per call that call-sampling.ts chooses. Only the fields listed below are written, so that no
 * body, token or argument is logged. Causes are reduced to the parts in cause.ts, with secrets
 * masked. Lambda's log filter uses `timestamp` and `level`. Notes of a deployed function contain
 * their metrics; metrics of calls are added up (call-metrics.ts).
 */
import { ERRORS } from '../../core/errors.ts'
import type { CallLine, Clock, Log, NoteFields } from '../../core/ports/outside.ts'
import { currentTraceId } from '../config/trace.ts'
import { makeMetricSums } from './call-metrics.ts'
import { weighCallLine } from './call-sampling.ts'
import { toLoggedCause } from './cause.ts'
import { writeEmfLine } from './emf.ts'
import { maskCredentials } from './masked.ts'
import { isErrorCode, type MetricValues, measureCall, measureNote } from './metrics-of.ts'

export type JsonLogOptions = {
  /** Gets one line with its line feed: `(line) => process.stdout.write(line)`. */
  readonly write: (line: string) => unknown
  readonly clock: Pick<Clock, 'nowMs'>
  /** Set for a deployed function; without it lines contain no metrics. */
  readonly metrics?: { readonly stage: string; readonly door: string } | undefined
  /** One in so many successful calls has a line; default: each. */
  readonly callSampling?: number
}

type Level = 'info' | 'warn' | 'error'

const LEVELS = { info: 'INFO', warn: 'WARN', error: 'ERROR' } as const

/**
 * Fields of notes: ids, counts, codes and names that the gateway makes, never a free text. A field
 * that only a metric needs (`amount`, `delaysMs`) is not listed, because the metric has its own
 * member.
 */
const NOTE_FIELDS: ReadonlySet<string> = new Set(
  (
    'action added address admin appended attempt backlogMinutes bytes callId changed code count day days door durationMs entries ' +
    'eventId failures flagged gone grantId holds issuer keyStart left limit max method minute minutes objects openMs operation outcome pages profiles ' +
    'reason requestId role rolled seq sequence session skillId source state status table tier tool type uid ' +
    'upstream upstreamStatus version why'
  ).split(' '),
)
/** Characters of a field that are written; the gateway's longest id has 64. */
const FIELD_CHARS_MAX = 200

/** Notes that each call may make. */
const NOTES_OF_CALLS: ReadonlySet<string> = new Set(['call-refused'])

export function makeJsonLog({ callSampling = 1, clock, metrics, write }: JsonLogOptions): Log {
  const addMetrics = makeMetricSums(clock)
  const line = (
    level: Level,
    event: string,
    fields: object,
    metricValues: MetricValues | undefined,
  ) => {
    const nowMs = clock.nowMs()
    const timestamp = writeTimestamp(nowMs)
    const head = { timestamp, level: LEVELS[level], event, traceId: currentTraceId() }
    const all = { ...head, ...fields }
    const isPlain = metrics === undefined || metricValues === undefined
    write(
      `${isPlain ? JSON.stringify(all) : writeEmfLine(all, metrics.stage, metricValues, nowMs)}\n`,
    )
  }
  const writeSums = (toValues: (door: string) => MetricValues) => {
    if (metrics === undefined) return
    for (const sums of addMetrics(toValues(metrics.door))) {
      const nowMs = clock.nowMs()
      const head = { timestamp: writeTimestamp(nowMs), level: LEVELS.info, event: 'metrics' }
      write(`${writeEmfLine(head, metrics.stage, sums, nowMs)}\n`)
    }
  }
  const log: Log = {
    call: (call) => {
      const weight = weighCallLine(call, callSampling)
      if (weight > 0) {
        const fields = { ...selectCallFields(call), weight: weight === 1 ? undefined : weight }
        line(findLevel(call.code), 'call', fields, undefined)
      }
      writeSums((door) => measureCall(call, door))
    },
    note: (level, event, fields = {}, cause) => {
      const safe = selectNoteFields(fields)
      const all = cause === undefined ? safe : { ...safe, cause: toLoggedCause(cause) }
      const metricValues = measureNote(event, fields)
      const isOfCall = metricValues !== undefined && NOTES_OF_CALLS.has(event)
      line(level, event, all, isOfCall ? undefined : metricValues)
      if (isOfCall) writeSums(() => metricValues)
    },
  }
  // The first line of each process.
  if (metrics !== undefined) log.note('info', 'cold-start', { door: metrics.door })
  return log
}

function selectNoteFields(fields: NoteFields): object {
  const listedFields = Object.entries(fields).filter(([name]) => NOTE_FIELDS.has(name))
  return Object.fromEntries(listedFields.map(([name, value]) => [name, toFieldValue(value)]))
}

/** Fields are named one by one, because a caller's object may have more fields than its type. */
function selectCallFields(call: CallLine): object {
  return {
    callId: toFieldValue(call.callId),
    uid: toFieldValue(call.uid),
    username: toFieldValue(call.username),
    skillId: toFieldValue(call.skillId),
    source: call.source,
    outcome: call.outcome,
    code: call.code,
    upstreamStatus: call.upstreamStatus,
    upstreamMs: call.upstreamMs,
    durationMs: call.durationMs,
    charged: call.charged,
    refunded: call.refunded,
    remaining: call.remaining,
    secretsFrom: joinSecretSources(call),
  }
}

/** Where the call's secrets came from, without their names: `shared,user-skill`. */
function joinSecretSources({ secretsUsed = [] }: CallLine): string | undefined {
  if (secretsUsed.length === 0) return undefined
  return [...new Set(secretsUsed.map(({ from }) => from))].sort().join()
}

function toFieldValue(value: NoteFields[string]): NoteFields[string] {
  return typeof value === 'string'
    ? maskCredentials(value.slice(0, FIELD_CHARS_MAX).toWellFormed())
    : value
}

let lastMs = Number.NaN
let lastTimestamp = ''

/**
 * Cached for a millisecond, because the calls of one turn of the event loop end in the same one.
 */
function writeTimestamp(nowMs: number): string {
  if (nowMs !== lastMs) {
    lastTimestamp = new Date(nowMs).toISOString()
    lastMs = nowMs
  }
  return lastTimestamp
}

function findLevel(code: string | undefined): Level {
  return isErrorCode(code) ? ERRORS[code].logLevel : 'info'
}
