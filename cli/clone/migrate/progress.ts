/**
 * Progress of the migration: a bar on a terminal, occasional plain lines elsewhere. The number of
 * records is only approximate, so the bar may wait at its end, but never runs past it.
 */

export type MigrateProgress = {
  readonly records: number
  /** Undefined when unknown. */
  readonly recordsInAll: number | undefined
  readonly moved: number
  readonly folded: number
  readonly credits: number
  readonly skipped: number
}

export type Terminal = {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  write(text: string): unknown
}

export type Progress = {
  show(standing: MigrateProgress): void
  /** Removes the bar's line. */
  end(): void
}

const BAR_CELLS = 24
/** Interval of plain lines: a line per step would bury the rest of the log. */
export const LINE_EVERY_MS = 5_000
const CLEAR_LINE = '\r\u001b[2K'

export function progressOn(terminal: Terminal, nowMs: () => number): Progress {
  if (terminal.isTTY === true) {
    return {
      show: (standing) => terminal.write(CLEAR_LINE + fitted(barLine(standing), terminal.columns)),
      end: () => terminal.write(CLEAR_LINE),
    }
  }
  let nextMs = nowMs() + LINE_EVERY_MS
  return {
    show: (standing) => {
      if (nowMs() < nextMs) return
      nextMs = nowMs() + LINE_EVERY_MS
      terminal.write(`${countsOf(standing)}\n`)
    },
    end: () => {},
  }
}

export function countsOf({ credits, folded, moved, records, skipped }: MigrateProgress): string {
  const counts = `${moved} moved, ${folded} folded in, ${skipped} skipped, ${credits} credits`
  return `up to ${records} records looked at: ${counts}`
}

function barLine(standing: MigrateProgress): string {
  const { records, recordsInAll } = standing
  if (recordsInAll === undefined || recordsInAll === 0) return countsOf(standing)
  const share = Math.min(1, records / recordsInAll)
  const full = Math.floor(share * BAR_CELLS)
  const bar = `${'█'.repeat(full)}${'░'.repeat(BAR_CELLS - full)}`
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${countsOf(standing)}`
}

/** A line that wraps could not be removed again. */
function fitted(line: string, columns = 80): string {
  return line.slice(0, Math.max(0, columns - 1))
}
