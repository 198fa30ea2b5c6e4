/**
 * Formats the audit as text: one row for each user, and below it what does not add up. Amounts in
 * credits.
 */
import { formatCredits } from '../../core/ledger/amount.ts'
import type { Audit } from '../../core/ledger/audit.ts'

export type Report = { readonly lines: readonly string[]; readonly wrong: number }

const HEAD = ['user', 'granted', 'to spend', 'on hold', 'charged', 'difference']

export function formatReport(audits: readonly Audit[], busy: readonly string[]): Report {
  const rows = audits.map((audit) => [
    audit.uid,
    ...[audit.granted, audit.credits, audit.held, audit.charged].map(formatCredits),
    formatDifference(audit.difference),
  ])
  const widths = HEAD.map((head, i) =>
    Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
  const body = audits.flatMap(({ faults }, i) => [
    line(rows[i] ?? []),
    ...faults.map((fault) => `  ! ${fault}`),
  ])
  const wrong = audits.filter(({ faults }) => faults.length > 0).length
  return {
    lines: [
      line(HEAD),
      ...body,
      ...busy.map((uid) => `${uid}  kept changing while it was read: run this again`),
      wrong === 0
        ? `All ${audits.length} users add up to what they were granted.`
        : `${wrong} of ${audits.length} users do not add up to what they were granted.`,
    ],
    wrong,
  }
}

function formatDifference(difference: number): string {
  if (difference === 0) return '0'
  return `${difference < 0 ? '-' : '+'}${formatCredits(Math.abs(difference))}`
}
