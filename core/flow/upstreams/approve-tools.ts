/**
 * Approves tools that wait, each by the digest of what somebody looked at. The definition that is
 * approved is the one that is stored as waiting: the server is not asked.
 *
 *   admin: GET shows digest d1 ─▶ POST approve d1 ─▶ offer is d1 ✔ ─▶ skill with pin d1
 *   refresh in between: offer is d2 ─▶ approve d1 ✘ ─▶ refused, with a look at d2
 * The lease keeps a refresh from replacing the offer while the skill is put (lease.ts). The server
 * may list d3 by now: the next refresh then holds the tool again.
 */
import { type FieldError, ok, type Result, refuse } from '../../errors.ts'
import { isHeldTool } from '../../openapi/merge-tool.ts'
import type { Settings } from '../../settings.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import { readUpstreamMark } from '../../skills/upstreams/tool-definition.ts'
import type { McpUpstream, OfferedTool } from '../../skills/upstreams/upstream.ts'
import type { PlannedSkill } from '../imports/planned-skill.ts'
import { readStoredImport, type StoredSkillNeeds } from '../imports/stored-imports.ts'
import { type AppliedTools, applyTools, countOffers, toUpstreamPlace } from './apply-tools.ts'
import type { JudgedTool } from './judge-listing.ts'
import { readUpstream, withLease } from './lease.ts'
import { judgeEntries } from './list-tools.ts'
import { adopt, free } from './plan-tools.ts'
import type { RefreshNeeds } from './refresh-upstream.ts'

export type Approval = { readonly tool: string; readonly digest: string }

export type ApproveTerms = { readonly tools: readonly Approval[]; readonly by: string }

/** Refuses with `conflict` a digest that is not the offered one. Approves all tools, or none. */
export async function approveTools(
  ports: Omit<RefreshNeeds, 'mcpListings'>,
  settings: Settings,
  id: string,
  { by, tools }: ApproveTerms,
): Promise<Result<AppliedTools>> {
  const upstream = await readUpstream(ports, id)
  if (!upstream.ok) return upstream
  const stored = { upstream: upstream.value, ifVersion: upstream.value.version }
  return withLease(ports, stored, async (leased) => {
    const waiting = await ports.mcpUpstreams.offers(id)
    const chosen = chooseOffers(waiting, tools)
    if (!chosen.ok) return { result: chosen }
    const entries = chosen.value.map(({ entry }) => entry)
    const judged = await judgeEntries(ports, settings, leased, entries)
    const usable = readUsable(judged.tools)
    if (!usable.ok) return { result: usable }
    const taken = await findTaken(ports, settings, leased, usable.value)
    if (!taken.ok) return { result: taken }
    const left = waiting.filter((one) => !chosen.value.includes(one))
    const terms = { upstream: leased, hash: (text: string) => ports.digests.sha256(text) }
    const applied = await applyTools(ports, settings, {
      upstream: leased,
      by,
      waiting,
      plan: (skills) => ({ skills: planApproval(terms, usable.value, left, skills), offers: left }),
    })
    if (!applied.ok) return { result: applied }
    const status = { ...leased.status, counts: countOffers(left) }
    return { result: applied, changes: { status } }
  })
}

const WAITS: ReadonlySet<OfferedTool['state']> = new Set(['new', 'changed', 'flagged'])

function chooseOffers(
  waiting: readonly OfferedTool[],
  tools: readonly Approval[],
): Result<readonly OfferedTool[]> {
  const byTool = new Map(waiting.map((one) => [one.tool, one]))
  const faults: FieldError[] = []
  const chosen = new Set<OfferedTool>()
  for (const [index, { digest, tool }] of tools.entries()) {
    const offer = byTool.get(tool)
    if (offer === undefined || !WAITS.has(offer.state))
      faults.push({
        pointer: `/tools/${index}/tool`,
        message: `${tool} does not wait for an approval`,
      })
    else if (offer.digest !== digest)
      faults.push({
        pointer: `/tools/${index}/digest`,
        message: `is not the digest of what the server offers as ${tool} now; look at it again`,
      })
    else chosen.add(offer)
  }
  const [first] = faults
  if (first === undefined) return ok([...chosen])
  return refuse('conflict', `${first.pointer} ${first.message}. Nothing was approved.`, { faults })
}

type UsableTool = JudgedTool & { readonly made: Extract<JudgedTool['made'], { kind: 'usable' }> }

/** The settings may have changed since the listing. */
function readUsable(judged: readonly JudgedTool[]): Result<readonly UsableTool[]> {
  const usable: UsableTool[] = []
  for (const one of judged) {
    const { made, tool } = one
    if (made.kind !== 'usable')
      return refuse('conflict', `tools: ${tool} cannot be a tool here. ${made.reason}`)
    usable.push({ ...one, made })
  }
  return ok(usable)
}

/** A skill of somebody else may have got the name since the listing. */
async function findTaken(
  ports: StoredSkillNeeds,
  settings: Settings,
  { id, settings: own }: McpUpstream,
  tools: readonly UsableTool[],
): Promise<Result<undefined>> {
  const stored = await readStoredImport(ports, toUpstreamPlace(settings, own))
  const taken = tools.find(({ skillId, tool }) => !isFree(stored.get(skillId), id, tool))
  return taken === undefined
    ? ok(undefined)
    : refuse(
        'conflict',
        `tools: ${taken.skillId} is a skill of somebody else by now. Nothing was approved.`,
      )
}

/** True for a name that nobody has, or that this tool has. */
function isFree(record: SkillRecord | undefined, id: string, tool: string): boolean {
  if (record === undefined) return true
  const mark = readUpstreamMark(record.definition)
  return mark?.upstream === id && mark.tool === tool
}

type ApprovalTerms = {
  readonly upstream: McpUpstream
  readonly hash: (text: string) => string
}

/** Under `block`, the last approval frees the tools that were held with the others. */
function planApproval(
  terms: ApprovalTerms,
  approved: readonly UsableTool[],
  left: readonly OfferedTool[],
  stored: ReadonlyMap<string, SkillRecord>,
): readonly PlannedSkill[] {
  const own = [...stored.values()].filter(
    ({ definition }) => readUpstreamMark(definition)?.upstream === terms.upstream.id,
  )
  const adopted = approved.flatMap((tool) => {
    const record = stored.get(tool.skillId)
    return isFree(record, terms.upstream.id, tool.tool) ? [adopt(terms, tool, record)] : []
  })
  const done = new Set(approved.map(({ skillId }) => skillId))
  const waiting = new Set(left.filter(({ state }) => state !== 'new').map(({ tool }) => tool))
  const held = own.filter(({ definition, skillId }) => isHeldTool(definition) && !done.has(skillId))
  const isLast = held.every(
    ({ definition }) => !waiting.has(readUpstreamMark(definition)?.tool ?? ''),
  )
  return isLast ? [...adopted, ...held.map((record) => free(terms, record))] : adopted
}
