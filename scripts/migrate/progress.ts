/**
 * How far the migration has come: a bar on a terminal, plain lines now and then elsewhere. How many
 * records a table has is known roughly, if at all: the bar may wait at its end, and never runs over it.
 */

export type MigrateProgress = {
  readonly records: number
  /** Undefined where nobody knows. */
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
  /** The line of the bar is taken back. */
  end(): void
}

const BAR_CELLS = 24
/** Where there is no terminal, a log is read later: a line each step would bury it. */
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

/** A line that wraps could not be taken back. */
function fitted(line: string, columns = 80): string {
  return line.slice(0, Math.max(0, columns - 1))
}
