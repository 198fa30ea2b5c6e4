/** One line of a log: what `--json` prints of it, and how people read it. */
import { MICRO_PER_CREDIT } from '../../core/ledger/amount.ts'
import { type Fields, fieldsOf } from '../gateway/admin-client.ts'
import { parseExactJson } from '../gateway/exact-json.ts'
import { plain } from '../terminal/table.ts'
import { REFUSED } from './call-filter.ts'

export type LogEntry = {
  /** Tells an entry that was read twice. */
  readonly id: string
  readonly atMs: number
  readonly fields: Fields
}

/** The fields of a line of ours, without its metrics; undefined for a text that is no line of ours. */
export function fieldsOfLine(line: string): Fields | undefined {
  try {
    const { _aws: _metrics, ...fields } = fieldsOf(parseExactJson(line))
    return fields
  } catch {
    // The trace of a process that died, or a line that was cut.
    return undefined
  }
}

const WIDTHS = [19, 12, 20, 16, 9, 9]

/** `2026-11-22 21:42:07 ada sg_weather refunded…`, in UTC like all times of the command line. */
export function entryText({ atMs, fields }: LogEntry): string {
  const at = new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')
  const cells = fields['callId'] === undefined ? noteCells(fields) : callCells(fields)
  const row = [at, ...cells].map((cell, index) => plain(cell).padEnd(WIDTHS[index] ?? 0))
  return row.join(' ').trimEnd()
}

function callCells(fields: Fields): readonly string[] {
  const { callId, code, durationMs, outcome, reason, skillId, uid, upstreamStatus } = fields
  const status = upstreamStatus === undefined ? '' : ` ${upstreamStatus}`
  return [
    String(uid ?? ''),
    String(skillId ?? ''),
    `${reason ?? code ?? outcome}${status}`,
    durationMs === undefined ? '' : `${durationMs} ms`,
    chargedText(fields),
    String(callId),
  ]
}

/** Lines of the log count in millionths, as the ledger does; the API in credits. */
function chargedText({ charged, event, outcome }: Fields): string {
  if (outcome === REFUSED || event === 'call-refused') return REFUSED
  if (typeof charged !== 'number') return ''
  return String(event === undefined ? charged : charged / MICRO_PER_CREDIT)
}

function noteCells(fields: Fields): readonly string[] {
  const { event, level, timestamp: _at, traceId: _trace, cause: _cause, ...others } = fields
  const words = Object.entries(others).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return [String(level ?? ''), String(event ?? ''), words.join(' ')]
}
