/**
 * POST skills:plan: shows what a set of skills would change. Writes nothing. A set is a named group
 * of skills that somebody keeps elsewhere, such as in a repository. Each of its skills has the name
 * in its mark, so nothing else is stored (docs/design/skills.md#sets).
 */
import { ok, type Result, refuse } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { readImportMark, readSetName } from '../../openapi/import-mark.ts'
import {
  disableTool,
  isDisabledByImport,
  isStoppedByHand,
  markSkill,
  mergeSkill,
} from '../../openapi/merge-tool.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { FAULTS_MAX } from '../../skills/limits.ts'
import {
  findOperatingPart,
  listOperatingParts,
  type OperatingPart,
  writeOperatingNotes,
} from '../../skills/operating-state.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import type { ValidateSkillNeeds } from '../registry/validate-skill.ts'
import { countListBytes, findYoungestMs, NO_CHANGES, type PlannedSkill } from './planned-skill.ts'
import type { Planner } from './planner.ts'
import { readSetSkills, type SetRequest, type SetSkill } from './set-request.ts'
import { readStoredSet, type StoredSkillNeeds } from './stored-imports.ts'

export type PlanSetNeeds = ValidateSkillNeeds & Pick<Ports, 'digests'> & StoredSkillNeeds

export type SetPlan = {
  readonly skills: readonly PlannedSkill[]
  /** Ids of stored skills of the set that its text no longer has and that are not removed. */
  readonly left: readonly string[]
  /** Ids of stored skills that were in no set before. */
  readonly adopted: readonly string[]
  readonly listBytes: number
  readonly youngestMs: number
}

/** Makes one plan. Refuses a set with errors, and skills of another owner. */
export function planSet(
  ports: PlanSetNeeds,
  settings: Settings,
  request: SetRequest,
): Promise<Result<SetPlan>> {
  return makeSetPlanner(ports, settings, request).plan()
}

/** Reads and validates the skills once, however often they are planned. */
export function makeSetPlanner(
  ports: PlanSetNeeds,
  settings: Settings,
  request: SetRequest,
): Planner<SetPlan> {
  let reading: ReturnType<typeof readSetSkills> | undefined
  let first: SetPlan | undefined
  return {
    plan: async () => {
      reading ??= readSetSkills(ports, settings, request)
      const skills = await reading
      if (!skills.ok) return skills
      const sent = { skills: skills.value, first }
      const plan = await compareSet(ports, settings, request, sent)
      if (plan.ok) first ??= plan.value
      return plan
    },
  }
}

/** Refuses with `conflict` skills that belong to another set or to an OpenAPI document. */
async function compareSet(
  ports: Pick<Ports, 'digests'> & StoredSkillNeeds,
  settings: Settings,
  request: SetRequest,
  {
    first,
    skills: sent,
  }: {
    readonly skills: readonly SetSkill[]
    /** The first plan of this request. A state that was set since then is newer than the set. */
    readonly first: SetPlan | undefined
  },
): Promise<Result<SetPlan>> {
  const { prune, set, source } = request
  const ids = new Set(sent.map(({ read }) => read.skill.skillId))
  const stored = await readStoredSet(ports, { source, set, ids })
  const foreign = sent.flatMap((one) => findForeign(one, stored, set))
  if (foreign.length > 0) return refuseForeign(foreign)
  const hash = (text: string) => ports.digests.sha256(text)
  const planned = sent.map((one) => planSkill(one, { first, stored }, request, hash))
  const absent = [...stored.values()].filter(({ skillId }) => !ids.has(skillId))
  const removals = prune ? absent.map((one) => planRemoval(one, set, hash)) : []
  const skills = [...planned, ...removals]
  const left = prune ? removals.filter(({ kind }) => kind === 'unchanged') : absent
  return ok({
    skills,
    left: left.map(({ skillId }) => skillId),
    adopted: planned.flatMap((one) => (isAdopted(one, set) ? [one.skillId] : [])),
    listBytes: countListBytes(settings, skills),
    youngestMs: findYoungestMs([...stored.values()].map((record) => ({ stored: record }))),
  })
}

type StoredSkills = ReadonlyMap<string, SkillRecord>
type Hash = (text: string) => string

function planSkill(
  { file, read, warnings }: SetSkill,
  { first, stored }: { readonly first: SetPlan | undefined; readonly stored: StoredSkills },
  { edits, set: name }: SetRequest,
  hash: Hash,
): PlannedSkill {
  const { skillId } = read.skill
  const record = stored.get(skillId)
  const made = { definition: read.definition, whose: { set: name } }
  const common = { skillId, madeOf: file, notes: warnings, stored: record }
  if (record === undefined) {
    return { ...common, merged: NO_CHANGES, kind: 'added', definition: markSkill(made, hash) }
  }
  const parts = findSetParts(read.definition, first, record)
  const keeps = (field: string) => {
    const part = findOperatingPart(field)
    return part !== undefined && !parts.has(part)
  }
  const merged = mergeSkill(record.definition, made, hash, { edits, keeps })
  const kind = merged.isChanged ? 'changed' : 'unchanged'
  const { definition } = merged
  const notes = [
    ...warnings,
    ...writeOperatingNotes(record.definition, read.definition, definition),
  ]
  return { ...common, notes, merged, kind, definition }
}

/**
 * Returns the parts of the operating state that the set changes: those that its text names. A state
 * that somebody set since the first plan is newer than the text, and is kept.
 */
function findSetParts(
  sent: JsonObject,
  first: SetPlan | undefined,
  { definition, skillId }: SkillRecord,
): ReadonlySet<OperatingPart> {
  const named = new Set(listOperatingParts(sent))
  const before = first?.skills.find((one) => one.skillId === skillId)?.stored?.definition
  if (first !== undefined && before?.['state'] !== definition['state']) named.delete('state')
  return named
}

/**
 * A removed skill is first disabled and then deleted. So if a request dies before the list is made,
 * the same request sent again still finds the skill. A skill that an administrator stopped is kept.
 */
function planRemoval(record: SkillRecord, set: string, hash: Hash): PlannedSkill {
  const { definition, skillId } = record
  const isDisabled = isDisabledByImport(definition, hash) || definition['state'] === 'disabled'
  const reason = `The set ${set} no longer has it.`
  const end = isStoppedByHand(definition, hash) ? 'unchanged' : 'deleted'
  return {
    skillId,
    madeOf: '',
    stored: record,
    notes: [],
    merged: NO_CHANGES,
    kind: isDisabled ? end : 'disabled',
    definition: isDisabled ? definition : disableTool(definition, reason, hash),
  }
}

function isAdopted({ stored }: PlannedSkill, set: string): boolean {
  return stored !== undefined && readSetName(stored.definition) !== set
}

type ForeignSkill = { readonly skillId: string; readonly file: string; readonly owner: string }

/** Returns the skill if it belongs to another set or to an import; empty otherwise. */
function findForeign(
  { file, read }: SetSkill,
  stored: StoredSkills,
  set: string,
): readonly ForeignSkill[] {
  const { skillId } = read.skill
  const definition = stored.get(skillId)?.definition ?? {}
  const other = readSetName(definition)
  if (other !== undefined && other !== set) return [{ skillId, file, owner: `the set ${other}` }]
  const prefix = readImportMark(definition)?.prefix
  return prefix === undefined ? [] : [{ skillId, file, owner: `the import ${prefix}` }]
}

function refuseForeign(foreign: readonly ForeignSkill[]): Result<never> {
  const faults = foreign.map(({ file, owner, skillId }) => ({
    pointer: file.startsWith('/') ? file : '',
    message: `${file}: ${skillId} belongs to ${owner}; remove it there, or send it once with sync_skill, which takes it over`,
  }))
  const detail = `${foreign.length} skills belong to others, so nothing was changed. ${faults[0]?.message ?? ''}`
  return refuse('conflict', detail, { faults: faults.slice(0, FAULTS_MAX) })
}
