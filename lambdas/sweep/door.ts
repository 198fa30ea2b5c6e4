/** The scheduled sweep: each run ends stale holds and moves some old keys, within limits. Two runs at
 * once do no harm. */
import { runWithTrace } from '../../adapters/config/trace.ts'
import { type SweepReport, sweepHolds } from '../../core/flow/execute/sweep-holds.ts'
import { sweepV0 } from '../../core/flow/migration/sweep-v0.ts'
import type { Ports } from '../../core/ports.ts'

export type SweepPorts = Pick<
  Ports,
  'clock' | 'ids' | 'ledger' | 'v0' | 'log' | 'profiles' | 'sweepEntries'
>

/** Throws the store's errors: the next run continues where this one stopped. */
export function sweepDoor(ports: SweepPorts): () => Promise<SweepReport> {
  return () => runWithTrace(undefined, () => sweep(ports))
}

/**
 * Holds first, because they are money; old keys still work in their old place until they are moved.
 */
async function sweep(ports: SweepPorts): Promise<SweepReport> {
  const report = await sweepHolds(ports)
  await sweepV0(ports)
  return report
}
