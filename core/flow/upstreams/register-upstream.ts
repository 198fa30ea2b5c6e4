/**
 * Plans and stores the settings of an upstream. An apply needs the digest of a plan, so that what is
 * approved is what somebody looked at: the settings, and each tool as the server listed it.
 *
 *   plan: list ─▶ compare ─▶ digest                           nothing is written
 *   apply: list ─▶ same digest? ─▶ lease ─▶ skills ─▶ record  (lease.ts, apply-tools.ts)
 * - The server's list changed since the plan: refused, and the new plan shows it.
 * - Two registrations of one id at once: one takes the lease, the other is refused.
 * - Two upstreams want one name at once: both see it free, and one puts its skill. The other's put
 *   is refused at version 0, its next plan finds somebody else's skill, and the tool waits as
 *   unusable, with both owners named.
 * - The process dies after the lease: the record has no listing yet, so that the same request sent
 *   again goes on as a registration.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import { writeCanonical } from '../../json/canonical-text.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { FAULTS_MAX } from '../../skills/limits.ts'
import { UPSTREAMS_MAX } from '../../skills/upstreams/limits.ts'
import type { McpUpstream, UpstreamSettings } from '../../skills/upstreams/upstream.ts'
import { readStoredImport, type StoredSkillNeeds } from '../imports/stored-imports.ts'
import { type AppliedTools, toUpstreamPlace } from './apply-tools.ts'
import { withLease } from './lease.ts'
import { type ListedTools, type ListNeeds, listTools } from './list-tools.ts'
import { planTools, type ToolsPlan } from './plan-tools.ts'
import { readUpstreamSettings, type SentSettings } from './read-settings.ts'
import {
  applyListing,
  isFirstListing,
  NO_STATUS,
  type RefreshNeeds,
  toChanges,
} from './refresh-upstream.ts'

export type PlanUpstreamNeeds = ListNeeds &
  StoredSkillNeeds &
  Pick<Ports, 'clock'> & {
    readonly mcpUpstreams: Pick<Ports['mcpUpstreams'], 'get' | 'list' | 'offers'>
  }

export type UpstreamRequest = {
  readonly id: string
  readonly sent: SentSettings
  /** Whose secrets are used; undefined: shared secrets alone. */
  readonly uid: string | undefined
}

export type UpstreamPlan = {
  /** What an apply names. */
  readonly digest: string
  readonly settings: UpstreamSettings
  readonly isFirst: boolean
  readonly listed: ListedTools
  readonly plan: ToolsPlan
}

/** Refuses with `invalid_arguments`, `conflict`, or why the server gives no list. */
export async function planUpstream(
  ports: PlanUpstreamNeeds,
  settings: Settings,
  request: UpstreamRequest,
): Promise<Result<UpstreamPlan>> {
  const stored = await ports.mcpUpstreams.get(request.id)
  return planOver(ports, settings, request, stored)
}

/** `by` is the name of the administrator. */
export type ApplyUpstream = UpstreamRequest & { readonly by: string; readonly digest: string }

export type AppliedUpstream = { readonly plan: UpstreamPlan; readonly applied: AppliedTools }

/** Also refuses with `conflict` another digest, and names that somebody else has. */
export async function applyUpstream(
  ports: RefreshNeeds,
  settings: Settings,
  request: ApplyUpstream,
): Promise<Result<AppliedUpstream>> {
  const { by, digest, id } = request
  const stored = await ports.mcpUpstreams.get(id)
  const planned = await planOver(ports, settings, request, stored)
  if (!planned.ok) return planned
  const plan = planned.value
  if (plan.digest !== digest) return refuseOtherDigest(id)
  const { collisions } = plan.plan
  if (plan.isFirst && collisions.length > 0) return refuseCollisions(collisions)
  const nowMs = ports.clock.nowMs()
  const upstream: McpUpstream = {
    ...(stored ?? { id, createdAtMs: nowMs, status: NO_STATUS, version: 0 }),
    settings: plan.settings,
    updatedAtMs: nowMs,
    by,
  }
  const place = { upstream, ifVersion: stored?.version ?? 0 }
  return withLease(ports, place, async (leased) => {
    const { isFirst, listed } = plan
    const applied = await applyListing(ports, settings, leased, { by, isFirst, listed })
    if (!applied.ok) return { result: applied }
    const changes = toChanges(ports, leased, listed, applied.value)
    return { result: ok({ plan, applied: applied.value }), changes }
  })
}

async function planOver(
  ports: PlanUpstreamNeeds,
  settings: Settings,
  { id, sent, uid }: UpstreamRequest,
  stored: McpUpstream | undefined,
): Promise<Result<UpstreamPlan>> {
  if (stored?.isDeleting === true) return refuseDeleting(id)
  const read = readUpstreamSettings(sent, stored)
  if (!read.ok) return read
  if (stored === undefined && (await ports.mcpUpstreams.list()).length >= UPSTREAMS_MAX)
    return refuse(
      'conflict',
      `There are ${UPSTREAMS_MAX} upstreams, which is the most. Delete one.`,
    )
  const upstream = { id, settings: read.value }
  const listed = await listTools(ports, settings, { upstream, uid })
  if (!listed.ok) return listed
  const hash = (text: string) => ports.digests.sha256(text)
  const waiting = await ports.mcpUpstreams.offers(id)
  const skills = await readStoredImport(ports, toUpstreamPlace(settings, read.value))
  const isFirst = stored === undefined || isFirstListing(stored)
  const terms = {
    upstream,
    isFirst,
    waiting: new Map(waiting.map((one) => [one.tool, one])),
    nowMs: ports.clock.nowMs(),
    hash,
  }
  const { tools } = listed.value.judged
  const plan = planTools(terms, tools, skills)
  const digest = hash(writeCanonical(toDigested(read.value, listed.value)))
  return ok({ digest, settings: read.value, isFirst, listed: listed.value, plan })
}

/** All that an apply of the plan depends on, but for the stored skills, which have versions. */
function toDigested(settings: UpstreamSettings, { judged, listing }: ListedTools): JsonObject {
  const { serverInfo } = listing
  return {
    settings: settings as unknown as Json,
    server: serverInfo?.name ?? null,
    tools: judged.tools.map(({ digest, flags, tool }) => [tool, digest, flags.length]),
  }
}

function refuseOtherDigest(id: string): Result<never> {
  return refuse(
    'conflict',
    `digest: is not that of the present plan: the settings differ, or the server lists other tools by now.`,
    { remedy: { code: 'plan_upstream', upstream: id } },
  )
}

function refuseDeleting(id: string): Result<never> {
  return refuse('conflict', `upstreamId: ${id} is being deleted.`, {
    remedy: { code: 'delete_upstream', upstream: id },
  })
}

function refuseCollisions(collisions: readonly string[]): Result<never> {
  const [first = ''] = collisions
  const faults = collisions
    .slice(0, FAULTS_MAX)
    .map((message) => ({ pointer: '/exclude', message }))
  const detail = `${collisions.length} names are taken, so nothing was changed. ${first}`
  return refuse('conflict', detail, { faults })
}
