/**
 * Stores what a listing changes: first the tools that wait, then the skills, then the tool list.
 * Whoever calls this has the upstream's lease.
 *
 *   put what waits ─▶ put each skill at its version ─▶ make the list ─▶ drop what waits no more
 * - Dies in between: the next refresh compares anew. A changed tool that is written down as waiting
 *   and not held yet is held then; its calls went on for that long.
 * - An administrator edits a skill in between: its put is refused, and the next plan of this apply
 *   keeps the edit.
 */
import { ok, type Result } from '../../errors.ts'
import { writeCanonical } from '../../json/canonical-text.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import { toNameStart } from '../../skills/upstreams/tool-names.ts'
import {
  type McpUpstream,
  OFFER_STATES,
  type OfferedTool,
  type UpstreamStatus,
} from '../../skills/upstreams/upstream.ts'
import { type ApplyPlanNeeds, applyPlan } from '../imports/apply-plan.ts'
import { findYoungestMs, type PlannedSkill } from '../imports/planned-skill.ts'
import { readStoredImport } from '../imports/stored-imports.ts'

export type ApplyToolsNeeds = ApplyPlanNeeds & Pick<Ports, 'mcpUpstreams'>

export type ToolsWork = {
  readonly upstream: McpUpstream
  readonly by: string
  /** All that waits when the work begins. */
  readonly waiting: readonly OfferedTool[]
  /** Compares with what is stored now. `offers` is all that waits afterwards. */
  plan(stored: ReadonlyMap<string, SkillRecord>): {
    readonly skills: readonly PlannedSkill[]
    readonly offers: readonly OfferedTool[]
  }
  readonly deletesDisabled?: true
}

export type AppliedTools = {
  /** The first plan: what this work changed. */
  readonly skills: readonly PlannedSkill[]
  readonly offers: readonly OfferedTool[]
  /** Tools of the new list; undefined if no new list was needed. */
  readonly listed: number | undefined
}

export async function applyTools(
  ports: ApplyToolsNeeds,
  settings: Settings,
  { by, deletesDisabled, plan, upstream, waiting }: ToolsWork,
): Promise<Result<AppliedTools>> {
  const { id } = upstream
  const place = toUpstreamPlace(settings, upstream.settings)
  const { offers } = plan(await readStoredImport(ports, place))
  const before = new Map(waiting.map((one) => [one.tool, one]))
  const fresh = offers.filter((offer) => {
    const old = before.get(offer.tool)
    return old === undefined || !isSame(old, offer)
  })
  await writeAll(fresh, (offer) => ports.mcpUpstreams.putOffer(id, offer))
  const applied = await applyPlan(ports, settings, {
    source: place.source,
    origin: 'import',
    by,
    deletesDisabled: deletesDisabled === true,
    plan: async () => {
      const { skills } = plan(await readStoredImport(ports, place))
      return ok({ skills, youngestMs: findYoungestMs(skills) })
    },
  })
  if (!applied.ok) return applied
  const left = new Set(offers.map(({ tool }) => tool))
  const done = waiting.filter(({ tool }) => !left.has(tool))
  await writeAll(done, ({ tool }) => ports.mcpUpstreams.dropOffer(id, tool))
  return ok({ skills: applied.value.plan.skills, offers, listed: applied.value.tools })
}

/** Writes at once, as with skills (apply-plan.ts). */
const WRITES_AT_ONCE = 8

async function writeAll<T>(all: readonly T[], write: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += WRITES_AT_ONCE) {
    await Promise.all(all.slice(at, at + WRITES_AT_ONCE).map(write))
  }
}

function isSame(a: OfferedTool, b: OfferedTool): boolean {
  return (
    writeCanonical({ ...a, faults: [...a.faults] }) ===
    writeCanonical({ ...b, faults: [...b.faults] })
  )
}

/** The tier and the ids of an upstream's skills. */
export function toUpstreamPlace(
  settings: Pick<Settings, 'prefix'>,
  { prefix, source }: Pick<McpUpstream['settings'], 'prefix' | 'source'>,
) {
  return { source, prefix, start: toNameStart(settings.prefix, prefix) }
}

export function countOffers(offers: readonly OfferedTool[]): UpstreamStatus['counts'] {
  const count = (state: OfferedTool['state']) => offers.filter((one) => one.state === state).length
  const [fresh, changed, flagged, gone, unusable] = OFFER_STATES.map(count)
  return {
    new: fresh ?? 0,
    changed: changed ?? 0,
    flagged: flagged ?? 0,
    gone: gone ?? 0,
    unusable: unusable ?? 0,
  }
}
