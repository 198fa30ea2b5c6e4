/**
 * The scheduled sweep. Each run ends stale holds and moves some old keys, within limits. Two runs
 * at once do no harm.
 */
import { runWithTrace } from '../../adapters/config/trace.ts'
import { type DeliverNeeds, deliverEvents } from '../../core/flow/events/deliver-events.ts'
import { type SweepReport, sweepHolds } from '../../core/flow/execute/sweep-holds.ts'
import { sweepV0 } from '../../core/flow/migration/sweep-v0.ts'
import type { EventTarget } from '../../core/ports/ledger.ts'
import type { Ports } from '../../core/ports/ports.ts'
import type { Settings } from '../../core/settings.ts'

export type SweepPorts = Pick<
  Ports,
  'clock' | 'events' | 'ids' | 'jobVisits' | 'ledger' | 'v0' | 'log' | 'profiles' | 'sweepEntries'
> &
  DeliverNeeds

/** Undefined if the stage sends no events. */
export type SweepEvents =
  | { readonly settings: NonNullable<Settings['events']>; readonly target: EventTarget }
  | undefined

/**
 * Builds the handler. A run throws the errors of the store; the next run continues where this one
 * stopped.
 */
export function createSweepDoor(
  ports: SweepPorts,
  events?: SweepEvents,
): () => Promise<SweepReport> {
  return () => runWithTrace(undefined, () => sweep(ports, events))
}

/**
 * Ends holds first, because they are money. Old keys still work in their old place until they are
 * moved. Events come last, so that a receiver that hangs delays nothing else.
 */
async function sweep(ports: SweepPorts, events: SweepEvents): Promise<SweepReport> {
  const report = await sweepHolds(ports, events?.settings)
  await sweepV0(ports)
  if (events !== undefined) await deliverEvents(ports, events.target)
  return report
}
