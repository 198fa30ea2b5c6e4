/**
 * One JSON line per call and per note. Only fields on the list below get through, so that no body,
 * token or argument can slip in; causes are cut down to what they are, with secrets masked.
 * `timestamp` and `level` are the names by which Lambda's log filter knows them.
 */
import { ERRORS, type ErrorCode } from '../../core/errors.ts'
import type { CallLine, Clock, Log } from '../../core/ports.ts'
import { causeOf } from './cause.ts'
import { masked } from './masked.ts'

export type JsonLogOptions = {
  /** Takes one line with its line feed: `(line) => process.stdout.write(line)`. */
  readonly write: (line: string) => unknown
  readonly clock: Pick<Clock, 'nowMs'>
  /** Of the running invocation; undefined outside of one. */
  readonly traceId?: () => string | undefined
}

type Level = 'info' | 'warn' | 'error'
type Field = string | number | boolean | undefined

/** Ids, counts, codes and names of ours. Add a name here when a note needs one; never a free text. */
const NOTE_FIELDS: ReadonlySet<string> = new Set(
  (
    'action appended attempt bytes callId code count door durationMs grantId holds limit max method ' +
    'minute minutes openMs operation outcome profiles reason requestId session seq skillId source state ' +
    'status table tier tool uid upstreamStatus version why'
  ).split(' '),
)
/** Longest id of ours is 64 characters; anything far longer is not an id. */
const FIELD_CHARS_MAX = 200

export function jsonLog({ write, clock, traceId }: JsonLogOptions): Log {
  const line = (level: Level, event: string, fields: object) => {
    const timestamp = new Date(clock.nowMs()).toISOString()
    const head = { timestamp, level: level.toUpperCase(), event, traceId: traceId?.() }
    write(`${JSON.stringify({ ...head, ...fields })}\n`)
  }
  return {
    call: (call) => line(levelOf(call.code), 'call', callFields(call)),
    note: (level, event, fields = {}, cause) => {
      const kept = Object.entries(fields).filter(([name]) => NOTE_FIELDS.has(name))
      const safe = Object.fromEntries(kept.map(([name, value]) => [name, fieldOf(value)]))
      line(level, event, cause === undefined ? safe : { ...safe, cause: causeOf(cause) })
    },
  }
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

function fieldOf(value: Field): Field {
  return typeof value === 'string' ? masked(value.slice(0, FIELD_CHARS_MAX)) : value
}

function levelOf(code: string | undefined): Level {
  return code !== undefined && isErrorCode(code) ? ERRORS[code].logLevel : 'info'
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code)
}
