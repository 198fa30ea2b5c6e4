/**
 * The usage function: takes batches of the Gateway table's stream into pages and sums of calls. A batch
 * that fails comes again, whole or in halves; an outcome that is taken twice counts once. A record that
 * cannot be read is reported by its number, after those before it were taken, so that Lambda can set
 * it apart. Bound by ADR 0048.
 */
import { runWithTrace } from '../../adapters/config/trace.ts'
import {
  type LedgerRecord,
  outcomeOf,
  sequenceOf,
} from '../../adapters/dynamodb/usage/outcome-record.ts'
import { Fault } from '../../core/errors.ts'
import { recordCalls } from '../../core/flow/usage/record-calls.ts'
import type { Outcome } from '../../core/ledger/ledger.ts'
import type { Ports } from '../../core/ports.ts'

export type UsagePorts = Pick<Ports, 'clock' | 'digests' | 'log' | 'usagePages' | 'usageSums'>

export type StreamEvent = { readonly Records?: readonly LedgerRecord[] }
/** Lambda takes the records before the first failure as done. */
export type StreamAnswer = { readonly batchItemFailures: readonly { itemIdentifier: string }[] }

/** Throws the store's errors: then the whole batch comes again. */
export function usageDoor(ports: UsagePorts): (event: StreamEvent) => Promise<StreamAnswer> {
  return (event) => runWithTrace(undefined, () => take(ports, event.Records ?? []))
}

async function take(ports: UsagePorts, records: readonly LedgerRecord[]): Promise<StreamAnswer> {
  const { outcomes, unreadable } = read(ports, records)
  const { pages, rolled } = await recordCalls(ports, outcomes)
  ports.log.note('info', 'usage-taken', { outcomes: outcomes.length, pages, rolled })
  return {
    batchItemFailures: unreadable === undefined ? [] : [{ itemIdentifier: unreadable }],
  }
}

/** The records before the first one that cannot be read. */
function read(
  { log }: Pick<UsagePorts, 'log'>,
  records: readonly LedgerRecord[],
): { readonly outcomes: readonly Outcome[]; readonly unreadable: string | undefined } {
  const outcomes: Outcome[] = []
  for (const record of records) {
    try {
      const outcome = outcomeOf(record)
      if (outcome !== undefined) outcomes.push(outcome)
    } catch (cause) {
      if (!(cause instanceof Fault)) throw cause
      const unreadable = sequenceOf(record)
      log.note('error', 'usage-unreadable', { sequence: unreadable }, cause)
      return { outcomes, unreadable }
    }
  }
  return { outcomes, unreadable: undefined }
}
