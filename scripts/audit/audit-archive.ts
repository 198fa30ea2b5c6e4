/**
 * Audits an archive against its ledger: its objects must be unchanged, its lines must add up to the
 * ledger's sums and agree with the records that still exist, and the exported trail of changes must
 * be complete. Only reads.
 */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { type ArchiveLine, toArchiveLine } from '../../core/archive/archive-entry.ts'
import { AUDIT_PREFIX, LEDGER_PREFIX } from '../../core/archive/archive-object.ts'
import { findLedgerDifferences } from '../../core/archive/compare-ledger.ts'
import { readArchive } from '../../core/archive/read-archive.ts'
import { type ArchiveReading, readObjects } from '../../core/archive/read-objects.ts'
import { verifyTrail } from '../../core/archive/trail-object.ts'
import { findChainBreaks } from '../../core/audit/chain.ts'
import { formatCredits } from '../../core/ledger/amount.ts'
import type { Archive } from '../../core/ports/usage.ts'
import { toColdHour } from '../../core/usage/cold-charges.ts'
import { HOUR_MS, toHour } from '../../core/usage/slots.ts'
import type { OpenLedger } from './ledger-at.ts'
import type { Report } from './report.ts'
import { readUserSums } from './user-sums.ts'

export type ArchiveAudit = {
  readonly archive: Archive
  readonly ledger: OpenLedger
  /** A month such as `2026-11`; undefined for the whole archive. */
  readonly month: string | undefined
  readonly hotMs: number
  /** How long the archive keeps calls and grants; undefined for ever. */
  readonly archiveMs?: number | undefined
  readonly nowMs: number
  /** How long a call may take to reach the archive. */
  readonly lagMs: number
}

const FAULTS_SHOWN_MAX = 50

export async function auditArchive(audit: ArchiveAudit): Promise<Report> {
  const digests = nodeDigests()
  const { archive, month = '' } = audit
  const objects = await readArchive(archive, `${LEDGER_PREFIX}day=${month}`)
  const read = readObjects(digests, objects)
  const faults = [...read.faults, ...(await compareWithLedger(audit, read.lines))]
  // The whole trail is read, because its links lead to days of other months.
  const trail = verifyTrail(await readArchive(archive, AUDIT_PREFIX), (records, head) =>
    findChainBreaks(digests, records, head),
  )
  const all = [...faults, ...trail.faults]
  return {
    lines: [
      ...formatSummary(read, objects.length),
      `Trail of changes: ${trail.days.length} days, ${trail.days.reduce((sum, { records }) => sum + records.length, 0)} records.`,
      ...all.slice(0, FAULTS_SHOWN_MAX).map((fault) => `  ! ${fault}`),
      ...(all.length > FAULTS_SHOWN_MAX ? [`  ! and ${all.length - FAULTS_SHOWN_MAX} more`] : []),
      all.length === 0
        ? `The archive${month === '' ? '' : ` of ${month}`} adds up to the ledger.`
        : `${all.length} faults: the archive does not add up to the ledger.`,
    ],
    wrong: all.length,
  }
}

async function compareWithLedger(
  audit: ArchiveAudit,
  lines: readonly ArchiveLine[],
): Promise<readonly string[]> {
  const { hotMs, lagMs, ledger, nowMs } = audit
  const span = toKeptSpan(audit)
  const untilMs = Math.min(span.untilMs, nowMs - lagMs)
  const head = await ledger.usageSums.readHead('hour')
  const hours = { from: toHour(span.sinceMs), to: Math.min(toHour(untilMs) - 1, head?.rolled ?? 0) }
  const sums = await readUserSums(ledger.usageSums, hours)
  const records: ArchiveLine[] = []
  const busy: string[] = []
  for await (const account of ledger.accounts) {
    if ('busy' in account) {
      busy.push(`${account.uid}: kept changing while it was read; run this again`)
      continue
    }
    const { grants, outcomes, uid } = account
    const stored = [
      ...outcomes.map((outcome) => toArchiveLine({ kind: 'call', outcome })),
      ...grants.map((grant) => toArchiveLine({ kind: 'grant', uid, grant })),
    ]
    const isWithin = ({ createdAtMs }: ArchiveLine) =>
      createdAtMs >= span.sinceMs && createdAtMs < untilMs
    records.push(...stored.filter(isWithin))
  }
  const coldBeforeMs = toColdHour(nowMs, hotMs) * HOUR_MS
  const settled = lines.filter(
    ({ createdAtMs }) => createdAtMs >= span.sinceMs && createdAtMs < untilMs,
  )
  return [...busy, ...findLedgerDifferences({ lines: settled, sums, hours, records, coldBeforeMs })]
}

/** The month, without the hours whose lines may have ended. */
function toKeptSpan({ archiveMs, month, nowMs }: ArchiveAudit) {
  const span = toSpan(month)
  if (archiveMs === undefined) return span
  const keptSinceMs = Math.ceil((nowMs - archiveMs) / HOUR_MS) * HOUR_MS
  return { ...span, sinceMs: Math.max(span.sinceMs, keptSinceMs) }
}

function toSpan(month: string | undefined): { sinceMs: number; untilMs: number } {
  if (month === undefined) return { sinceMs: 0, untilMs: Number.POSITIVE_INFINITY }
  const sinceMs = Date.parse(`${month}-01T00:00:00Z`)
  const date = new Date(sinceMs)
  return { sinceMs, untilMs: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) }
}

function formatSummary({ lines, repeated }: ArchiveReading, objects: number): readonly string[] {
  const calls = lines.filter(({ kind }) => kind === 'call')
  const sumCredits = (some: readonly ArchiveLine[]) =>
    formatCredits(some.reduce((sum, { amount }) => sum + amount, 0))
  return [
    `Archive: ${objects} objects, ${lines.length} entries, ${repeated} lines repeated.`,
    `Calls: ${calls.length}, charged ${sumCredits(calls.filter(({ state }) => state === 'settled'))} credits.`,
    `Grants and corrections: ${lines.length - calls.length}, ${sumCredits(lines.filter(({ kind }) => kind === 'grant'))} credits.`,
  ]
}
