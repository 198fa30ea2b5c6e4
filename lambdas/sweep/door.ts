/** The schedule's door: one bounded sweep of stale holds per invocation. Safe to run twice at once. */
import { runWithTrace } from '../../adapters/config/trace.ts'
import { type SweepReport, sweepHolds } from '../../core/flow/sweep-holds.ts'
import type { Ports } from '../../core/ports.ts'

export type SweepPorts = Pick<Ports, 'clock' | 'ledger' | 'log' | 'profiles' | 'sweepMarks'>

/** Throws what the store throws: the schedule's next run goes on where this one stopped. */
export function sweepDoor(ports: SweepPorts): () => Promise<SweepReport> {
  return () => runWithTrace(undefined, () => sweepHolds(ports))
}
