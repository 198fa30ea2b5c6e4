/**
 * The outcome of all clients as a table for a terminal: a mark and a word per cell, faults in full
 * below.
 */
import type { Outcome, Row } from './checks.ts'

export type Counts = { readonly passed: number; readonly failed: number }

/** Counts of clients: one passes when none of its checks failed. */
export function countRows(rows: readonly Row[]): Counts {
  const failed = rows.filter(hasFailed).length
  return { passed: rows.length - failed, failed }
}

/** `checks` are the columns; `of` is the head of the names. */
export function tableOf(rows: readonly Row[], checks: readonly string[], of = 'client'): string {
  const head = [of, ...checks, 'took']
  const lines = rows.map((row) => [
    row.name,
    ...checks.map((check) => cell(row.outcomes.get(check))),
    `${(row.tookMs / 1000).toFixed(1)} s`,
  ])
  const widths = head.map((_, column) =>
    Math.max(...[head, ...lines].map((line) => line[column]?.length ?? 0)),
  )
  const text = (line: readonly string[]) =>
    line
      .map((word, column) => word.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [head, widths.map((width) => '-'.repeat(width)), ...lines].map(text).join('\n')
}

/** One line for each fault, with the checks that failed by it. */
export function faultLines(rows: readonly Row[]): readonly string[] {
  return rows.flatMap(({ name, outcomes }) => {
    const checksByReason = new Map<string, string[]>()
    for (const [check, outcome] of outcomes) {
      if (outcome.kind !== 'failed') continue
      checksByReason.set(outcome.why, [...(checksByReason.get(outcome.why) ?? []), check])
    }
    return [...checksByReason].map(([why, checks]) => `FAULT ${name}, ${checks.join(', ')}: ${why}`)
  })
}

function hasFailed({ outcomes }: Row): boolean {
  return [...outcomes.values()].some(({ kind }) => kind === 'failed')
}

function cell(outcome: Outcome | undefined): string {
  switch (outcome?.kind) {
    case 'passed':
      return `ok ${outcome.note}`.trimEnd()
    case 'none':
      return `– ${outcome.why}`
    default:
      return 'FAILED'
  }
}
