/**
 * The usage function: takes batches of the Gateway table's stream into pages and sums of calls, and
 * into the archive. A batch that fails is delivered again, whole or in halves; a record that is
 * taken twice is counted once. A record that cannot be read is reported by its number, after the
 * records before it were taken, so that Lambda can set it aside. Once a day a schedule has this
 * function archive the trail of changes, and every five minutes, in a stage that wants it, make a
 * call as the canary user. Bound by ADR 0048 and ADR 0053.
 */
import type { CanaryFailure } from '../../adapters/canary/call-canary.ts'
import { runWithTrace } from '../../adapters/config/trace.ts'
import {
  type LedgerRecord,
  readSequence,
  readStreamRecord,
} from '../../adapters/dynamodb/usage/ledger-record.ts'
import type { ArchiveEntry } from '../../core/archive/archive-entry.ts'
import { Fault, type Result } from '../../core/errors.ts'
import { exportTrail } from '../../core/flow/usage/export-trail.ts'
import { recordCalls } from '../../core/flow/usage/record-calls.ts'
import { takeEntries } from '../../core/flow/usage/take-entries.ts'
import type { Ports } from '../../core/ports/ports.ts'
import type { Archive } from '../../core/ports/usage.ts'

export type UsagePorts = Pick<Ports, 'clock' | 'digests' | 'log' | 'usagePages' | 'usageSums'> & {
  readonly archive: Pick<Archive, 'put'>
  readonly auditTrail: Pick<Ports['auditTrail'], 'day' | 'lastDay' | 'page'>
  /** Makes one call as the canary user; only a stage with synthetic calls sends its event. */
  readonly callAsCanary: () => Promise<Result<void, CanaryFailure>>
}

/** The event of the schedule has a `task`, that of the stream has `Records`. */
export type UsageEvent = {
  readonly Records?: readonly LedgerRecord[]
  readonly task?: typeof EXPORT_TRAIL | typeof SYNTHETIC_CALL
}
export const EXPORT_TRAIL = 'export-trail'
export const SYNTHETIC_CALL = 'synthetic-call'

/** Lambda treats the records before the first failure as done. */
export type StreamAnswer = { readonly batchItemFailures: readonly { itemIdentifier: string }[] }

/**
 * Builds the handler. It throws the errors of store and archive; then Lambda delivers the whole
 * batch again.
 */
export function createUsageDoor(ports: UsagePorts): (event: UsageEvent) => Promise<StreamAnswer> {
  return (event) => runWithTrace(undefined, () => runEvent(ports, event))
}

function runEvent(ports: UsagePorts, { Records = [], task }: UsageEvent): Promise<StreamAnswer> {
  switch (task) {
    case EXPORT_TRAIL:
      return exportDays(ports)
    case SYNTHETIC_CALL:
      return callOnce(ports)
    case undefined:
      return takeRecords(ports, Records)
    default:
      return task satisfies never
  }
}

async function callOnce({ callAsCanary, clock, log }: UsagePorts): Promise<StreamAnswer> {
  const startedMs = clock.nowMs()
  const called = await callAsCanary()
  const durationMs = clock.nowMs() - startedMs
  if (called.ok) {
    log.note('info', 'synthetic-call', { durationMs })
  } else {
    const { cause, ...fields } = called.error
    log.note('error', 'synthetic-call-failed', { durationMs, ...fields }, cause)
  }
  return { batchItemFailures: [] }
}

async function exportDays(ports: UsagePorts): Promise<StreamAnswer> {
  // If there are no calls, no batch closes past hours, whose pages would expire with the hot time.
  await recordCalls(ports, [])
  const days = await exportTrail(ports)
  ports.log.note('info', 'trail-exported', { days: days.length })
  return { batchItemFailures: [] }
}

async function takeRecords(
  ports: UsagePorts,
  records: readonly LedgerRecord[],
): Promise<StreamAnswer> {
  const { entries, unreadable } = readRecords(ports, records)
  const { objects, pages, rolled } = await takeEntries(ports, entries)
  ports.log.note('info', 'usage-taken', { entries: entries.length, pages, rolled, objects })
  return {
    batchItemFailures: unreadable === undefined ? [] : [{ itemIdentifier: unreadable }],
  }
}

/** Reads the records before the first one that cannot be read. */
function readRecords(
  { log }: Pick<UsagePorts, 'log'>,
  records: readonly LedgerRecord[],
): { readonly entries: readonly ArchiveEntry[]; readonly unreadable: string | undefined } {
  const entries: ArchiveEntry[] = []
  for (const record of records) {
    try {
      const entry = readStreamRecord(record)
      if (entry !== undefined) entries.push(entry)
    } catch (cause) {
      if (!(cause instanceof Fault)) throw cause
      const unreadable = readSequence(record)
      log.note('error', 'usage-unreadable', { sequence: unreadable }, cause)
      return { entries, unreadable }
    }
  }
  return { entries, unreadable: undefined }
}
