/**
 * One skill of a plan of an import or a set, and the bytes that such skills take in a tool list.
 */
import { mendSchema } from '../../json/client-schemas.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import { countBytes } from '../../json/text-bytes.ts'
import type { MergedTool } from '../../openapi/merge-tool.ts'
import type { NameOrigin } from '../../openapi/tool-name.ts'
import type { Settings } from '../../settings.ts'
import type { Skill, SkillRecord, Tool } from '../../skills/skill.ts'
import { toTool } from '../../skills/skill-tool.ts'
import { readStoredSkill } from '../../skills/stored-skill.ts'

export type PlannedSkill = {
  readonly skillId: string
  /** The operation or the file that the skill is made of. */
  readonly madeOf: string
  /** The record that was stored when the plan was made. */
  readonly stored: SkillRecord | undefined
  readonly merged: Pick<MergedTool, 'breaking' | 'changes' | 'conflicts' | 'edited'>
  readonly kind: 'added' | 'changed' | 'unchanged' | 'disabled' | 'deleted'
  /** The definition to store. */
  readonly definition: JsonObject
  readonly notes: readonly string[]
  /** How the id came about; undefined in a set, whose files name their skills. */
  readonly nameOrigin?: NameOrigin
  /** Why a skill is disabled or deleted; undefined in a set. */
  readonly cause?: RemovalCause
  /**
   * The skill of a new definition. To read 800 of them again would take a tenth of a plan's time.
   */
  readonly skill?: Skill
}

/** What became of the operation of a skill that is disabled or deleted. */
export type RemovalCause = 'gone' | 'not_selected' | 'not_imported'

export const NO_CHANGES: PlannedSkill['merged'] = {
  breaking: [],
  changes: [],
  conflicts: [],
  edited: [],
}

/** The time of the last change of any of these skills; 0 if none is stored. */
export function findYoungestMs(skills: readonly Pick<PlannedSkill, 'stored'>[]): number {
  return Math.max(0, ...skills.map(({ stored }) => stored?.updatedAtMs ?? 0))
}

const LISTED_STATES: ReadonlySet<Json | undefined> = new Set([undefined, null, 'listed', 'review'])

/** UTF-8 bytes of the tools that are listed, as agents get them. */
export function countListBytes(settings: Settings, skills: readonly PlannedSkill[]): number {
  return listTools(settings, skills).reduce((sum, { bytes }) => sum + bytes, 0)
}

export type PlannedTool = {
  readonly planned: PlannedSkill
  readonly tool: Tool
  readonly bytes: number
}

/** The tools that are listed, as agents get them, with their UTF-8 bytes. */
export function listTools(
  { prefix }: Settings,
  skills: readonly PlannedSkill[],
): readonly PlannedTool[] {
  return skills.flatMap((planned) => toPlannedTool(planned, prefix) ?? [])
}

/** Undefined for a skill that is not listed. `prefix` is the gateway's. */
export function toPlannedTool(planned: PlannedSkill, prefix: string): PlannedTool | undefined {
  const { definition, kind, skill: read } = planned
  if (kind === 'deleted' || kind === 'disabled') return undefined
  if (!LISTED_STATES.has(definition['state'])) return undefined
  const skill = read ?? readSkill(definition, prefix)
  if (skill === undefined) return undefined
  const tool = toTool(skill, skill.skillId)
  const { annotations, description, name, outputSchema, title } = tool
  const inputSchema = mendSchema(tool.inputSchema, 'input')
  const listed = { name, title, description, inputSchema, outputSchema, annotations }
  return { planned, tool: { ...tool, ...listed }, bytes: countBytes(JSON.stringify(listed)) }
}

/** UTF-8 bytes of a token of a tool list, measured with real lists (docs/clients.md). */
const BYTES_PER_TOKEN = 4

export function toTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN)
}

function readSkill(definition: JsonObject, prefix: string): Skill | undefined {
  const read = readStoredSkill({ definition } as SkillRecord, prefix)
  return read.ok ? read.value.skill : undefined
}
