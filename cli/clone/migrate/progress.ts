/**
 * Shows the progress of the migration: a bar on a terminal, occasional plain lines elsewhere. The
 * total number of records is approximate, so the bar may wait at its end, but never passes it.
 */

export type MigrateProgress = {
  readonly records: number
  /** The approximate total; undefined if it is unknown. */
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
/** Interval of the plain lines; a line for each step would bury the rest of the log. */
export const LINE_EVERY_MS = 5_000
const CLEAR_LINE = '\r\u001b[2K'

/** Opens the progress display that fits the terminal. */
export function openProgress(terminal: Terminal, nowMs: () => number): Progress {
  if (terminal.isTTY === true) {
    return {
      show: (standing) =>
        terminal.write(CLEAR_LINE + cutLine(formatBar(standing), terminal.columns)),
      end: () => terminal.write(CLEAR_LINE),
    }
  }
  let nextMs = nowMs() + LINE_EVERY_MS
  return {
    show: (standing) => {
      if (nowMs() < nextMs) return
      nextMs = nowMs() + LINE_EVERY_MS
      terminal.write(`${formatCounts(standing)}\n`)
    },
    end: () => {},
  }
}

/** Returns the counts of a migration as one line. */
export function formatCounts({
  credits,
  folded,
  moved,
  records,
  skipped,
}: MigrateProgress): string {
  const counts = `${moved} moved, ${folded} folded in, ${skipped} skipped, ${credits} credits`
  return `up to ${records} records looked at: ${counts}`
}

function formatBar(standing: MigrateProgress): string {
  const { records, recordsInAll } = standing
  if (recordsInAll === undefined || recordsInAll === 0) return formatCounts(standing)
  const share = Math.min(1, records / recordsInAll)
  const full = Math.floor(share * BAR_CELLS)
  const bar = `${'█'.repeat(full)}${'░'.repeat(BAR_CELLS - full)}`
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${formatCounts(standing)}`
}

/** Cuts the line to the terminal's width, because a line that wraps could not be removed again. */
function cutLine(line: string, columns = 80): string {
  return line.slice(0, Math.max(0, columns - 1))
}
