/**
 * The usage function: takes batches of the Gateway table's stream into pages and sums of calls, and into
 * the archive. A batch that fails comes again, whole or in halves; what was taken twice counts once. A
 * record that cannot be read is reported by its number, after those before it were taken, so that Lambda
 * can set it apart. Once a day a schedule has it archive the trail of changes. Bound by ADR 0048 and
 * ADR 0053.
 */
import { runWithTrace } from '../../adapters/config/trace.ts'
import {
  entryOf,
  type LedgerRecord,
  sequenceOf,
} from '../../adapters/dynamodb/usage/ledger-record.ts'
import type { ArchiveEntry } from '../../core/archive/archive-entry.ts'
import { Fault } from '../../core/errors.ts'
import { exportTrail } from '../../core/flow/usage/export-trail.ts'
import { recordCalls } from '../../core/flow/usage/record-calls.ts'
import { takeEntries } from '../../core/flow/usage/take-entries.ts'
import type { Ports } from '../../core/ports/ports.ts'
import type { Archive } from '../../core/ports/usage.ts'

export type UsagePorts = Pick<Ports, 'clock' | 'digests' | 'log' | 'usagePages' | 'usageSums'> & {
  readonly archive: Pick<Archive, 'put'>
  readonly auditTrail: Pick<Ports['auditTrail'], 'day' | 'lastDay' | 'page'>
}

/** `task` comes from the schedule, `Records` from the stream. */
export type UsageEvent = {
  readonly Records?: readonly LedgerRecord[]
  readonly task?: typeof EXPORT_TRAIL
}
export const EXPORT_TRAIL = 'export-trail'

/** Lambda takes the records before the first failure as done. */
export type StreamAnswer = { readonly batchItemFailures: readonly { itemIdentifier: string }[] }

/** Throws the errors of store and archive: then the whole batch comes again. */
export function usageDoor(ports: UsagePorts): (event: UsageEvent) => Promise<StreamAnswer> {
  return (event) =>
    runWithTrace(undefined, () =>
      event.task === EXPORT_TRAIL ? exportDays(ports) : take(ports, event.Records ?? []),
    )
}

async function exportDays(ports: UsagePorts): Promise<StreamAnswer> {
  // Without calls no batch closes hours, and their pages end with the hot time.
  await recordCalls(ports, [])
  const days = await exportTrail(ports)
  ports.log.note('info', 'trail-exported', { days: days.length })
  return { batchItemFailures: [] }
}

async function take(ports: UsagePorts, records: readonly LedgerRecord[]): Promise<StreamAnswer> {
  const { entries, unreadable } = read(ports, records)
  const { objects, pages, rolled } = await takeEntries(ports, entries)
  ports.log.note('info', 'usage-taken', { entries: entries.length, pages, rolled, objects })
  return {
    batchItemFailures: unreadable === undefined ? [] : [{ itemIdentifier: unreadable }],
  }
}

/** The records before the first one that cannot be read. */
function read(
  { log }: Pick<UsagePorts, 'log'>,
  records: readonly LedgerRecord[],
): { readonly entries: readonly ArchiveEntry[]; readonly unreadable: string | undefined } {
  const entries: ArchiveEntry[] = []
  for (const record of records) {
    try {
      const entry = entryOf(record)
      if (entry !== undefined) entries.push(entry)
    } catch (cause) {
      if (!(cause instanceof Fault)) throw cause
      const unreadable = sequenceOf(record)
      log.note('error', 'usage-unreadable', { sequence: unreadable }, cause)
      return { entries, unreadable }
    }
  }
  return { entries, unreadable: undefined }
}
