/** One line of a log: the fields that `--json` prints, and the text for people. */
import { MICRO_PER_CREDIT } from '../../core/ledger/amount.ts'
import { type Fields, toFields } from '../gateway/admin-client.ts'
import { parseExactJson } from '../gateway/exact-json.ts'
import { toOneLine } from '../terminal/table.ts'
import { REFUSED } from './call-filter.ts'

export type LogEntry = {
  /** Identifies the entry, so that an entry that was read twice is printed once. */
  readonly id: string
  readonly atMs: number
  readonly fields: Fields
}

/**
 * Parses a line that the gateway wrote, without its metrics. Returns undefined for any other text.
 */
export function parseLine(line: string): Fields | undefined {
  try {
    const { _aws: _metrics, ...fields } = toFields(parseExactJson(line))
    return fields
  } catch {
    // The line is part of a stack trace, or was cut off.
    return undefined
  }
}

const CELL_WIDTHS = [19, 12, 20, 16, 9, 9]

/**
 * Returns the entry as `2026-11-22 21:42:07 ada sg_weather refunded…`, in UTC like all times of the
 * command line.
 */
export function formatEntry({ atMs, fields }: LogEntry): string {
  const at = new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')
  const cells = fields['callId'] === undefined ? listNoteCells(fields) : listCallCells(fields)
  const row = [at, ...cells].map((cell, index) => toOneLine(cell).padEnd(CELL_WIDTHS[index] ?? 0))
  return row.join(' ').trimEnd()
}

function listCallCells(fields: Fields): readonly string[] {
  const { callId, code, durationMs, outcome, reason, skillId, uid, upstreamStatus } = fields
  const status = upstreamStatus === undefined ? '' : ` ${upstreamStatus}`
  return [
    String(uid ?? ''),
    String(skillId ?? ''),
    `${reason ?? code ?? outcome}${status}`,
    durationMs === undefined ? '' : `${durationMs} ms`,
    formatCharge(fields),
    String(callId),
  ]
}

/**
 * Formats the charge. Lines of the log count in millionths of a credit, as the ledger does; the API
 * counts in credits.
 */
function formatCharge({ charged, event, outcome }: Fields): string {
  if (outcome === REFUSED || event === 'call-refused') return REFUSED
  if (typeof charged !== 'number') return ''
  return String(event === undefined ? charged : charged / MICRO_PER_CREDIT)
}

function listNoteCells(fields: Fields): readonly string[] {
  const { event, level, timestamp: _at, traceId: _trace, cause: _cause, ...others } = fields
  const words = Object.entries(others).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return [String(level ?? ''), String(event ?? ''), words.join(' ')]
}
