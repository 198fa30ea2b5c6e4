/**
 * Compares the tools of a listing with the skills that are approved, by the upstream's policy. The
 * skill has the approved definition, and its mark has the pin.
 *
 *   pin of the skill   tool of the listing    trust      review           block
 *   none               new, at registration   listed     listed           listed
 *   none               new                    listed     waits            waits
 *   equal              as approved            listed     listed           listed, or held with others
 *   another            changed                listed     held             held, with all others
 *   any                flagged by the scan    as in review, under each policy
 *   any                gone                   kept for one listing, then disabled
 *
 * A tool that changes back to its pin is freed by itself. `held` means: listed as approved, and each
 * call is refused.
 */
import { writeCanonical } from '../../json/canonical-text.ts'
import type { JsonObject } from '../../json/json.ts'
import {
  disableTool,
  freeTool,
  holdTool,
  isDisabledByImport,
  isHeldTool,
  markSkill,
  mergeSkill,
} from '../../openapi/merge-tool.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import { readUpstreamMark } from '../../skills/upstreams/tool-definition.ts'
import type { McpUpstream, OfferedTool } from '../../skills/upstreams/upstream.ts'
import { NO_CHANGES, type PlannedSkill } from '../imports/planned-skill.ts'
import { isSelected, type JudgedTool } from './judge-listing.ts'

type Hash = (text: string) => string

export type PlanTerms = {
  readonly upstream: Pick<McpUpstream, 'id' | 'settings'>
  /** A first listing: its plan was looked at, so what it offers is approved. */
  readonly isFirst: boolean
  /** What waited before this listing, by tool. */
  readonly waiting: ReadonlyMap<string, OfferedTool>
  readonly nowMs: number
  readonly hash: Hash
}

export type ToolsPlan = {
  readonly skills: readonly PlannedSkill[]
  /** All that waits after this listing. */
  readonly offers: readonly OfferedTool[]
  /** Sentences about names that somebody else has. */
  readonly collisions: readonly string[]
}

type Verdict = 'adopt' | 'hold' | 'wait'

type PlannedTool = {
  readonly skill?: PlannedSkill
  readonly offer?: OfferedTool
  readonly collision?: string
}

/** `stored` has the skills in the upstream's range of ids, whoever made them. */
export function planTools(
  terms: PlanTerms,
  judged: readonly JudgedTool[],
  stored: ReadonlyMap<string, SkillRecord>,
): ToolsPlan {
  const planned = judged.map((tool) => planTool(terms, tool, stored.get(tool.skillId)))
  const present = new Set(judged.map(({ skillId }) => skillId))
  const missing = [...stored.values()]
    .filter((record) => isOf(terms, record) && !present.has(record.skillId))
    .map((record) => planMissing(terms, record))
  const all = [...planned, ...missing]
  const skills = all.flatMap(({ skill }) => (skill === undefined ? [] : [skill]))
  const offers = all.flatMap(({ offer }) => (offer === undefined ? [] : [offer]))
  return {
    skills: isBlocked(terms, offers, stored) ? skills.map((one) => block(terms, one)) : skills,
    offers,
    collisions: all.flatMap(({ collision }) => (collision === undefined ? [] : [collision])),
  }
}

function isOf({ upstream }: PlanTerms, { definition }: SkillRecord): boolean {
  return readUpstreamMark(definition)?.upstream === upstream.id
}

function planTool(
  terms: PlanTerms,
  judged: JudgedTool,
  record: SkillRecord | undefined,
): PlannedTool {
  const { made, tool } = judged
  const mark = record === undefined ? undefined : readUpstreamMark(record.definition)
  const isOwn = mark?.upstream === terms.upstream.id && mark.tool === tool
  if (record !== undefined && !isOwn) {
    const reason = describeForeign(judged, record, mark)
    return { offer: toOffer(terms, judged, 'unusable', [reason]), collision: reason }
  }
  if (made.kind !== 'usable') return planUnusable(terms, judged, made, record)
  const verdict = decide(terms, judged, isOwn ? mark.pin : undefined)
  if (verdict === 'adopt') return { skill: adopt(terms, { ...judged, made }, record) }
  const offer = toOffer(terms, judged, toWaitingState(judged, verdict), [
    ...judged.flags,
    ...judged.notes,
  ])
  return { offer, ...holdStored(terms, record) }
}

function planUnusable(
  terms: PlanTerms,
  judged: JudgedTool,
  { kind, reason }: Exclude<JudgedTool['made'], { kind: 'usable' }>,
  record: SkillRecord | undefined,
): PlannedTool {
  return {
    offer: toOffer(terms, judged, 'unusable', [reason]),
    ...(kind === 'collides' ? { collision: reason } : {}),
    ...holdStored(terms, record),
  }
}

function holdStored(terms: PlanTerms, record: SkillRecord | undefined): PlannedTool {
  return record === undefined ? {} : { skill: hold(terms, record, CHANGED) }
}

function toWaitingState({ flags }: JudgedTool, verdict: Verdict): OfferedTool['state'] {
  if (flags.length > 0) return 'flagged'
  return verdict === 'hold' ? 'changed' : 'new'
}

function decide(
  { isFirst, upstream }: PlanTerms,
  { digest, flags }: JudgedTool,
  pin: string | undefined,
): Verdict {
  if (pin === digest) return 'adopt'
  const isTrusted = upstream.settings.pins === 'trust' || (isFirst && pin === undefined)
  if (flags.length === 0 && isTrusted) return 'adopt'
  return pin === undefined ? 'wait' : 'hold'
}

function describeForeign(
  { skillId, tool }: JudgedTool,
  { definition }: SkillRecord,
  mark: ReturnType<typeof readUpstreamMark>,
): string {
  const other = definition['import']
  const set = typeof other === 'object' && other !== null && 'set' in other ? other['set'] : ''
  const owner =
    mark === undefined
      ? `a skill that ${typeof set === 'string' && set !== '' ? `the set ${set}` : 'somebody else'} made`
      : `the tool ${mark.tool} of the upstream ${mark.upstream}`
  return `${tool} would be ${skillId}, which is ${owner}. Exclude one of the two, or take another prefix.`
}

/** The skill of a definition that is approved. */
export function adopt(
  { hash, upstream }: Pick<PlanTerms, 'hash' | 'upstream'>,
  judged: JudgedTool & { readonly made: Extract<JudgedTool['made'], { kind: 'usable' }> },
  record: SkillRecord | undefined,
): PlannedSkill {
  const { digest, made, notes, skillId, tool } = judged
  const whose = { upstream: upstream.id, tool, pin: digest }
  const sent = { definition: made.definition, whose }
  const common = { skillId, madeOf: tool, notes, stored: record }
  if (record === undefined) {
    const definition = markSkill(sent, hash)
    return { ...common, merged: NO_CHANGES, kind: 'added', definition, skill: made.skill }
  }
  const merged = mergeSkill(record.definition, sent, hash)
  const kind = merged.isChanged ? 'changed' : 'unchanged'
  return { ...common, merged, kind, definition: merged.definition }
}

const CHANGED =
  'Its MCP server changed it after it was approved. An administrator has to look at the change and approve it'
const BLOCKED =
  'Its MCP server changed other tools, and all of its tools wait until an administrator has approved that'

function hold(terms: PlanTerms, record: SkillRecord, why: string): PlannedSkill {
  const { hash, upstream } = terms
  const reason = `${why} (upstream ${upstream.id}).`
  return toPlanned(record, holdTool(record.definition, reason, hash))
}

function toPlanned(record: SkillRecord, definition: JsonObject): PlannedSkill {
  const { skillId } = record
  const isSame = writeCanonical(definition) === writeCanonical(record.definition)
  return {
    skillId,
    madeOf: readUpstreamMark(record.definition)?.tool ?? '',
    stored: record,
    notes: [],
    merged: NO_CHANGES,
    kind: isSame ? 'unchanged' : 'changed',
    definition: isSame ? record.definition : definition,
  }
}

/** Under `block`, one approved tool that differs holds all. */
function isBlocked(
  { upstream }: PlanTerms,
  offers: readonly OfferedTool[],
  stored: ReadonlyMap<string, SkillRecord>,
): boolean {
  if (upstream.settings.pins !== 'block') return false
  const approved = new Set(
    [...stored.values()].flatMap(({ definition }) => {
      const mark = readUpstreamMark(definition)
      return mark?.upstream === upstream.id ? [mark.tool] : []
    }),
  )
  return offers.some(({ state, tool }) => BLOCKING.has(state) && approved.has(tool))
}

const BLOCKING: ReadonlySet<OfferedTool['state']> = new Set(['changed', 'flagged', 'unusable'])

function block(terms: PlanTerms, planned: PlannedSkill): PlannedSkill {
  const { stored } = planned
  if (stored === undefined || isHeldTool(planned.definition)) return planned
  if (planned.kind === 'disabled' || planned.kind === 'deleted') return planned
  return hold(terms, stored, BLOCKED)
}

/** A tool that the settings leave out is disabled at once; one that is gone, by the next listing. */
function planMissing(terms: PlanTerms, record: SkillRecord): PlannedTool {
  const { hash, nowMs, upstream, waiting } = terms
  const { definition } = record
  const tool = readUpstreamMark(definition)?.tool ?? ''
  const isLeftOut = !isSelected(tool, upstream.settings)
  const before = waiting.get(tool)
  const wasGone = before?.state === 'gone'
  const isEnded = isDisabledByImport(definition, hash) || definition['state'] === 'disabled'
  const unchanged = toPlanned(record, definition)
  const why = isLeftOut
    ? `The settings of the upstream ${upstream.id} leave it out.`
    : `Its MCP server has no such tool any more (upstream ${upstream.id}).`
  const skill =
    isEnded || (!isLeftOut && !wasGone)
      ? unchanged
      : { ...unchanged, kind: 'disabled' as const, definition: disableTool(definition, why, hash) }
  if (isLeftOut) return { skill }
  const seenAtMs = wasGone ? before.seenAtMs : nowMs
  return { skill, offer: { tool, state: 'gone', digest: '', entry: {}, seenAtMs, faults: [] } }
}

function toOffer(
  { nowMs, waiting }: PlanTerms,
  { digest, entry, tool }: JudgedTool,
  state: OfferedTool['state'],
  faults: readonly string[],
): OfferedTool {
  const before = waiting.get(tool)
  const isSame = before?.state === state && before.digest === digest
  return { tool, state, digest, entry, faults, seenAtMs: isSame ? before.seenAtMs : nowMs }
}

/** The skill with its own definition, as an approval of all others frees it under `block`. */
export function free({ hash }: Pick<PlanTerms, 'hash'>, record: SkillRecord): PlannedSkill {
  return toPlanned(record, freeTool(record.definition, hash))
}
