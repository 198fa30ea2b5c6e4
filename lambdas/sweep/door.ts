/**
 * The scheduled sweep. Each run ends stale holds and moves some old keys, within limits. Two runs
 * at once do no harm.
 */
import { runWithTrace } from '../../adapters/config/trace.ts'
import { type DeliverNeeds, deliverEvents } from '../../core/flow/events/deliver-events.ts'
import {
  type FailingToolNeeds,
  noteFailingTools,
} from '../../core/flow/events/note-failing-tools.ts'
import { type SweepReport, sweepHolds } from '../../core/flow/execute/sweep-holds.ts'
import { sweepV0 } from '../../core/flow/migration/sweep-v0.ts'
import type { EventTarget } from '../../core/ports/ledger.ts'
import type { Ports } from '../../core/ports/ports.ts'
import type { Settings } from '../../core/settings.ts'
import { findDue } from '../../core/skills/upstreams/due.ts'
import type { McpUpstream } from '../../core/skills/upstreams/upstream.ts'

export type SweepPorts = Pick<
  Ports,
  'clock' | 'events' | 'ids' | 'jobVisits' | 'ledger' | 'v0' | 'log' | 'profiles' | 'sweepEntries'
> &
  DeliverNeeds &
  FailingToolNeeds

/** Undefined if the stage sends no events. */
export type SweepEvents =
  | { readonly settings: NonNullable<Settings['events']>; readonly targets: readonly EventTarget[] }
  | undefined

/** MCP servers whose tools are skills: all of them, and a refresh of those that are due. */
export type UpstreamRefresh = {
  readonly mcpUpstreams: Pick<Ports['mcpUpstreams'], 'list'>
  /** Begins no refresh after `untilMs`. Returns how many began. */
  refresh(due: readonly McpUpstream[], untilMs: number): Promise<number>
}

/**
 * Time of a run after which no refresh begins, in ms. A refresh takes 22 s for its list and a few
 * for its writes, and the function is ended after 55 s.
 */
export const REFRESH_BEGIN_MS_MAX = 25_000

/**
 * Builds the handler. A run throws the errors of the store; the next run continues where this one
 * stopped.
 */
export function createSweepDoor(
  ports: SweepPorts,
  events?: SweepEvents,
  upstreams?: UpstreamRefresh,
): () => Promise<SweepReport> {
  return () => runWithTrace(undefined, () => sweep(ports, events, upstreams))
}

/**
 * Ends holds first, because they are money. Old keys still work in their old place until they are
 * moved. Events and MCP servers come last, so that one that hangs delays nothing else.
 */
async function sweep(
  ports: SweepPorts,
  events: SweepEvents,
  upstreams: UpstreamRefresh | undefined,
): Promise<SweepReport> {
  const beginMs = ports.clock.nowMs()
  const report = await sweepHolds(ports, events?.settings)
  await sweepV0(ports)
  if (events !== undefined) {
    await noteFailingTools(ports)
    await deliverEvents(ports, events.targets)
  }
  if (upstreams !== undefined) await refreshDue(ports, upstreams, beginMs + REFRESH_BEGIN_MS_MAX)
  return report
}

async function refreshDue(
  { clock }: SweepPorts,
  { mcpUpstreams, refresh }: UpstreamRefresh,
  untilMs: number,
): Promise<void> {
  const due = findDue(await mcpUpstreams.list(), clock.nowMs())
  if (due.length > 0) await refresh(due, untilMs)
}
