/**
 * Lists an upstream's tools anew and applies what its policy lets through (plan-tools.ts). An
 * upstream that gives no list keeps its tools; after STALE_AFTER_FAILURES it is stale, and still
 * listed. Calls never wait for a refresh.
 */
import { type Refusal, type Result, refuse } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { HeldListing } from '../../skills/upstreams/held.ts'
import { REFRESH_MINUTES_MIN, STALE_AFTER_FAILURES } from '../../skills/upstreams/limits.ts'
import type {
  HeldCounts,
  McpUpstream,
  OfferedTool,
  UpstreamStatus,
} from '../../skills/upstreams/upstream.ts'
import { type AppliedTools, type ApplyToolsNeeds, applyTools, countOffers } from './apply-tools.ts'
import { type LeaseNeeds, readUpstream, withLease } from './lease.ts'
import { type ListedTools, type ListNeeds, listTools } from './list-tools.ts'
import { planTools } from './plan-tools.ts'

export type RefreshNeeds = ApplyToolsNeeds & LeaseNeeds & ListNeeds

/** `by` is the name of the administrator, or `refresh`. `uid` is whose secrets are used. */
export type RefreshTerms = { readonly by: string; readonly uid?: string | undefined }

/** Refuses with `not_found`, `conflict`, or why the server gives no list. */
export async function refreshUpstream(
  ports: RefreshNeeds,
  settings: Settings,
  id: string,
  terms: RefreshTerms,
): Promise<Result<AppliedTools>> {
  const upstream = await readUpstream(ports, id)
  if (!upstream.ok) return upstream
  if (isFirstListing(upstream.value)) return refuseUnfinished(id)
  const stored = { upstream: upstream.value, ifVersion: upstream.value.version }
  return withLease(ports, stored, async (leased) => {
    const listed = await listTools(ports, settings, { upstream: leased, uid: terms.uid })
    if (!listed.ok) {
      return { result: listed, changes: noteFailure(ports, leased, listed.error) }
    }
    const applied = await applyListing(ports, settings, leased, {
      by: terms.by,
      isFirst: false,
      listed: listed.value,
    })
    return {
      result: applied,
      changes: applied.ok ? toChanges(ports, leased, listed.value, applied.value) : {},
    }
  })
}

/** A first listing is approved by the digest of its plan, and never by a refresh. */
function refuseUnfinished(id: string): Result<never> {
  return refuse('conflict', `upstreamId: the registration of ${id} was not completed.`, {
    remedy: { code: 'finish_upstream', upstream: id },
  })
}

type ListingTerms = Pick<RefreshTerms, 'by'> & {
  readonly listed: ListedTools
  /** The listing is that of a plan whose digest an administrator sent. */
  readonly isFirst: boolean
}

/** Whoever calls this has the lease. Logs what an administrator has to look at. */
export async function applyListing(
  ports: RefreshNeeds,
  settings: Settings,
  upstream: McpUpstream,
  { by, isFirst, listed }: ListingTerms,
): Promise<Result<AppliedTools>> {
  const waiting = await ports.mcpUpstreams.offers(upstream.id)
  const terms = {
    upstream,
    isFirst,
    waiting: new Map(waiting.map((one) => [one.tool, one])),
    nowMs: ports.clock.nowMs(),
    hash: (text: string) => ports.digests.sha256(text),
  }
  const applied = await applyTools(ports, settings, {
    upstream,
    by,
    waiting,
    plan: (stored) => planTools(terms, listed.judged.tools, stored),
  })
  if (!applied.ok) return applied
  noteChanges(ports, upstream, waiting, applied.value)
  await keepHeld(ports, upstream, listed)
  return applied
}

/** A server that gives no list of them keeps those that it had. */
async function keepHeld(
  { mcpUpstreams }: Pick<RefreshNeeds, 'mcpUpstreams'>,
  { id, settings, status }: McpUpstream,
  { listing: { held } }: ListedTools,
): Promise<void> {
  if (held !== undefined) return mcpUpstreams.putHeld(id, held)
  if (!settings.resources && status.held !== undefined) await mcpUpstreams.dropHeld(id)
}

/** A registration that died before its end is one still. */
export function isFirstListing({ status }: Pick<McpUpstream, 'status'>): boolean {
  return status.listedAtMs === undefined
}

/** What a listing that was applied leaves in the record. */
export function toChanges(
  ports: Pick<Ports, 'clock' | 'digests'>,
  upstream: McpUpstream,
  { judged, listing }: ListedTools,
  { offers }: Pick<AppliedTools, 'offers'>,
): Partial<McpUpstream> {
  const { held, serverInfo, version } = listing
  const counted = held === undefined ? undefined : countHeld(held)
  // Without a list of them, what was kept before is still read.
  const kept = counted ?? (upstream.settings.resources ? upstream.status.held : undefined)
  const status: UpstreamStatus = {
    tools: judged.tools.length,
    counts: countOffers(offers),
    listedAtMs: ports.clock.nowMs(),
    failures: 0,
    ...(serverInfo === undefined ? {} : { server: serverInfo }),
    protocol: version,
    ...(kept === undefined ? {} : { held: kept }),
  }
  return { status, ...planNext(ports, upstream, upstream.settings.refresh_minutes) }
}

function countHeld({ left, prompts, resourceTemplates, resources }: HeldListing): HeldCounts {
  return {
    resources: resources.length,
    resource_templates: resourceTemplates.length,
    prompts: prompts.length,
    left_out: left,
  }
}

/** Part of the interval that the jitter adds at most: 1/8. */
const JITTER_PART = 8
const JITTER_STEPS = 64
const MINUTE_MS = 60_000

/** Upstreams that were registered together are not refreshed together for ever. */
function planNext(
  { clock, digests }: Pick<Ports, 'clock' | 'digests'>,
  { id }: McpUpstream,
  minutes: number,
): Pick<McpUpstream, 'nextRefreshAtMs'> {
  if (minutes === 0) return {}
  const nowMs = clock.nowMs()
  const drawn = digests.sha256(`${id} ${nowMs}`).charCodeAt(0) % JITTER_STEPS
  const everyMs = minutes * MINUTE_MS
  const jitterMs = Math.floor((everyMs / JITTER_PART) * (drawn / JITTER_STEPS))
  return { nextRefreshAtMs: nowMs + everyMs + jitterMs }
}

/** A server that failed is asked again soon, and never more often than the shortest interval. */
function noteFailure(
  ports: Pick<Ports, 'clock' | 'digests' | 'log'>,
  upstream: McpUpstream,
  { code, detail }: Refusal,
): Partial<McpUpstream> {
  const { id, settings, status } = upstream
  const failures = status.failures + 1
  ports.log.note('warn', 'upstream-refresh-failed', { upstream: id, code, failures })
  if (failures === STALE_AFTER_FAILURES) ports.log.note('error', 'upstream-stale', { upstream: id })
  const minutes = Math.min(settings.refresh_minutes, REFRESH_MINUTES_MIN)
  return {
    status: { ...status, failures, lastFailure: detail.slice(0, FAILURE_UNITS_MAX).toWellFormed() },
    ...planNext(ports, upstream, minutes),
  }
}

/** UTF-16 units of a failure that the record keeps. */
const FAILURE_UNITS_MAX = 500

const LOOKED_FOR: ReadonlySet<OfferedTool['state']> = new Set(['new', 'changed', 'flagged', 'gone'])

/** One line for each listing with something new to look at, and one for skills that were changed. */
function noteChanges(
  { log }: Pick<Ports, 'log'>,
  { id, settings }: McpUpstream,
  waiting: readonly OfferedTool[],
  { offers, skills }: AppliedTools,
): void {
  const known = new Set(waiting.map(({ digest, state, tool }) => `${state} ${digest} ${tool}`))
  const fresh = offers.filter(
    ({ digest, state, tool }) => LOOKED_FOR.has(state) && !known.has(`${state} ${digest} ${tool}`),
  )
  const { changed, flagged, gone, new: added } = countOffers(fresh)
  if (fresh.length > 0)
    log.note('warn', 'upstream-tools-changed', { upstream: id, changed, flagged, gone, added })
  const updated = skills.filter(({ kind, stored }) => kind === 'changed' && stored !== undefined)
  if (settings.pins === 'trust' && updated.length > 0)
    log.note('info', 'upstream-tools-updated', { upstream: id, count: updated.length })
}

export type { AppliedTools }

/** True after STALE_AFTER_FAILURES refreshes in a row without a list. */
export function isStale({ status }: Pick<McpUpstream, 'status'>): boolean {
  return status.failures >= STALE_AFTER_FAILURES
}

export const NO_STATUS: UpstreamStatus = { tools: 0, counts: countOffers([]), failures: 0 }
