/**
 * The request of POST skills:plan and skills:apply, and the reader of its skills. The reader
 * returns all skills, or the errors of all files.
 */
import { type FieldError, ok, type Refusal, type Result, refuse } from '../../errors.ts'
import type { EditRule } from '../../openapi/merge-tool.ts'
import type { Settings } from '../../settings.ts'
import type { ReadSkill } from '../../skills/definition/read-skill.ts'
import { FAULTS_MAX } from '../../skills/limits.ts'
import { warnOfLongName } from '../../skills/tool-name.ts'
import { type ValidateSkillNeeds, validateSkill } from '../registry/validate-skill.ts'
import { readSet, type SetItem } from './read-set.ts'

export type SetRequest = {
  /** The name of the set, which is written into the mark of its skills. */
  readonly set: string
  readonly text: string
  readonly source: 'official' | 'market'
  /** If true, stored skills of the set that the text no longer has are removed. */
  readonly prune: boolean
  readonly edits: EditRule
  /** If true, probable mistakes (`slips`) are errors. */
  readonly strict: boolean
  /** The skills may have credentials in the clear. */
  readonly clearSecrets?: 'allow' | undefined
}

export type SetSkill = {
  readonly file: string
  readonly read: ReadSkill
  readonly warnings: readonly string[]
}

/** Refuses with `invalid_skill` and the errors of all files, at most FAULTS_MAX. */
export async function readSetSkills(
  ports: ValidateSkillNeeds,
  settings: Settings,
  { clearSecrets, source, strict, text }: SetRequest,
): Promise<Result<readonly SetSkill[]>> {
  const items = readSet(text, source)
  if (!items.ok) return items
  const skills: SetSkill[] = []
  const faults: FieldError[] = []
  const filesById = new Map<string, string>()
  let refusedCount = 0
  for (const item of items.value) {
    const read = await validateItem(ports, settings, item, { filesById, strict, clearSecrets })
    if (read.ok) skills.push(read.value)
    else {
      refusedCount += 1
      faults.push(...toItemFaults(item, read.error))
    }
  }
  return refusedCount === 0 ? ok(skills) : refuseSet(faults, refusedCount, items.value.length)
}

async function validateItem(
  ports: ValidateSkillNeeds,
  settings: Settings,
  { file, request }: SetItem,
  {
    filesById,
    ...terms
  }: Pick<SetRequest, 'clearSecrets' | 'strict'> & {
    readonly filesById: Map<string, string>
  },
): Promise<Result<SetSkill>> {
  if (!request.ok) return request
  const read = await validateSkill(ports, settings, { ...request.value, ...terms })
  if (!read.ok) return read
  const { skillId } = read.value.skill
  const first = filesById.get(skillId)
  if (first !== undefined)
    return refuse('invalid_skill', `/id is also the id of ${first}; keep one of the two.`)
  filesById.set(skillId, file)
  const long = warnOfLongName(skillId)
  const warnings = [...read.value.warnings, ...(long === undefined ? [] : [long])]
  return ok({ file, read: read.value, warnings })
}

/** Returns errors with pointers into the set. Each message begins with the path of its file. */
function toItemFaults(
  { file, pointer }: SetItem,
  { detail, faults }: Refusal,
): readonly FieldError[] {
  const named = file === pointer ? '' : `${file}: `
  if (faults === undefined || faults.length === 0)
    return [{ pointer, message: `${named}${detail}` }]
  return faults.map((fault) => ({
    pointer: `${pointer}${fault.pointer}`,
    message: `${named}${fault.message}`,
  }))
}

function refuseSet(
  faults: readonly FieldError[],
  refusedCount: number,
  count: number,
): Result<never> {
  const [first] = faults
  const detail =
    `${refusedCount} of ${count} skills cannot be taken, so nothing was changed. ` +
    `The first: ${first?.pointer ?? ''} ${first?.message ?? ''}`
  return refuse('invalid_skill', detail, { faults: faults.slice(0, FAULTS_MAX) })
}
