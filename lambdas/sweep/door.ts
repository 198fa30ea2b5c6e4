/** The schedule's door: one bounded sweep of stale holds, and of keys that are to be moved, per
 * invocation. Safe to run twice at once. */
import { runWithTrace } from '../../adapters/config/trace.ts'
import { type SweepReport, sweepHolds } from '../../core/flow/execute/sweep-holds.ts'
import { sweepV0 } from '../../core/flow/migration/sweep-v0.ts'
import type { Ports } from '../../core/ports.ts'

export type SweepPorts = Pick<
  Ports,
  'clock' | 'ids' | 'ledger' | 'v0' | 'log' | 'profiles' | 'sweepEntries'
>

/** Throws what the store throws: the schedule's next run goes on where this one stopped. */
export function sweepDoor(ports: SweepPorts): () => Promise<SweepReport> {
  return () => runWithTrace(undefined, () => sweep(ports))
}

/** Money first: keys of the earlier service are found where they were until it is their turn. */
async function sweep(ports: SweepPorts): Promise<SweepReport> {
  const report = await sweepHolds(ports)
  await sweepV0(ports)
  return report
}
