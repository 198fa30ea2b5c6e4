/**
 * Whoever changes the tools of an upstream has its lease: a refresh, an apply, an approval, a
 * deletion. So these never mix. Administrators may edit the skills all the same: each put of a skill
 * names the version that it replaces (apply-plan.ts).
 *
 *   A: read v4 ─▶ put v5 with lease ✔ ─▶ offers, skills, list ─▶ put v6 without lease
 *   B: read v4 ─▶ put v5 with lease ✘ ─▶ refused: somebody works on it
 * - B reads v5: the lease is valid, and B is refused before it writes.
 * - A dies: nobody works on the upstream until the lease ends. It is longer than any function runs,
 *   so that A does not write any more then. Whoever comes next finds what A left half done: each
 *   work compares the listing with what is stored, and stores what is missing.
 * - A laptop sleeps with the lease: A's last put is refused, since the version moved. What A writes
 *   meanwhile are skills of a listing, each at its version, and the next refresh corrects them.
 */
import { ok, type Refusal, type Result, refuse } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import { UPSTREAM_LEASE_MS } from '../../skills/upstreams/limits.ts'
import type { McpUpstream } from '../../skills/upstreams/upstream.ts'

export type LeaseNeeds = Pick<Ports, 'clock' | 'ids' | 'log' | 'mcpUpstreams'>

type Ended<T> = {
  readonly result: Result<T>
  /** What the work learned; undefined: the upstream stays as it is. */
  readonly changes?: Partial<McpUpstream>
}

/** `ifVersion` is the stored version, 0 for an upstream that is new. */
export async function withLease<T>(
  ports: LeaseNeeds,
  { ifVersion, upstream }: { readonly upstream: McpUpstream; readonly ifVersion: number },
  work: (leased: McpUpstream) => Promise<Ended<T>>,
): Promise<Result<T>> {
  const nowMs = ports.clock.nowMs()
  const busyMs = (upstream.lease?.untilMs ?? 0) - nowMs
  if (busyMs > 0) return refuseBusy(upstream.id)
  const lease = { token: ports.ids.token(8), untilMs: nowMs + UPSTREAM_LEASE_MS }
  const leased = { ...upstream, version: ifVersion + 1, lease }
  if (!(await ports.mcpUpstreams.put(leased, ifVersion))) return refuseBusy(upstream.id)
  try {
    const { changes = {}, result } = await work(leased)
    await release(ports, leased, changes)
    return result
  } catch (cause) {
    await release(ports, leased, {}).catch(() => undefined)
    throw cause
  }
}

/** Seconds after which a refused request may be sent again. A refresh takes as long. */
const BUSY_RETRY_SEC = 5

function refuseBusy(id: string): { readonly ok: false; readonly error: Refusal } {
  return refuse(
    'conflict',
    `upstreamId: the tools of ${id} are being changed now, by a refresh or by another administrator. Send it again in a moment.`,
    { retryAfterSec: BUSY_RETRY_SEC },
  )
}

async function release(
  ports: LeaseNeeds,
  leased: McpUpstream,
  changes: Partial<McpUpstream>,
): Promise<void> {
  const { lease: _, ...rest } = { ...leased, ...changes }
  const version = leased.version + 1
  const isReleased = await ports.mcpUpstreams.put({ ...rest, version }, leased.version)
  if (!isReleased) ports.log.note('warn', 'upstream-lease-lost', { upstream: leased.id })
}

/** Refuses an upstream that is unknown, or that is being deleted. */
export async function readUpstream(
  { mcpUpstreams }: Pick<Ports, 'mcpUpstreams'>,
  id: string,
): Promise<Result<McpUpstream>> {
  const upstream = await mcpUpstreams.get(id)
  if (upstream === undefined)
    return refuse('not_found', `upstreamId: there is no upstream ${id}.`, {
      remedy: { code: 'list_upstreams' },
    })
  if (upstream.isDeleting === true)
    return refuse('conflict', `upstreamId: ${id} is being deleted.`, {
      remedy: { code: 'delete_upstream', upstream: id },
    })
  return ok(upstream)
}
