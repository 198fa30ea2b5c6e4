/** What POST skills:plan and skills:apply are asked, and the skills of the set, judged: all of them, or every fault of each. */
import { type FieldFault, ok, type Refusal, type Result, refuse } from '../../errors.ts'
import type { EditRule } from '../../openapi/merge-tool.ts'
import type { Settings } from '../../settings.ts'
import type { ReadSkill } from '../../skills/definition/read-skill.ts'
import { FAULTS_MAX } from '../../skills/limits.ts'
import { longNameWarning } from '../../skills/tool-name.ts'
import { type ValidateSkillNeeds, validateSkill } from '../registry/validate-skill.ts'
import { readSet, type SetItem } from './read-set.ts'

export type SetRequest = {
  /** Names the set: its skills are marked with it. */
  readonly set: string
  readonly text: string
  readonly source: 'official' | 'market'
  /** True: stored skills of the set that the text no longer has are removed. */
  readonly prune: boolean
  readonly edits: EditRule
  /** True: slips (probable mistakes) are faults. */
  readonly strict: boolean
}

export type SetSkill = {
  readonly file: string
  readonly read: ReadSkill
  readonly warnings: readonly string[]
}

/** Refuses with `invalid_skill` and the faults of all files, at most FAULTS_MAX. */
export async function readSetSkills(
  ports: ValidateSkillNeeds,
  settings: Settings,
  { source, strict, text }: SetRequest,
): Promise<Result<readonly SetSkill[]>> {
  const items = readSet(text, source)
  if (!items.ok) return items
  const skills: SetSkill[] = []
  const faults: FieldFault[] = []
  const firsts = new Map<string, string>()
  let faulty = 0
  for (const item of items.value) {
    const judged = await judgeItem(ports, settings, item, { firsts, strict })
    if (judged.ok) skills.push(judged.value)
    else {
      faulty += 1
      faults.push(...faultsOf(item, judged.error))
    }
  }
  return faulty === 0 ? ok(skills) : refuseSet(faults, faulty, items.value.length)
}

async function judgeItem(
  ports: ValidateSkillNeeds,
  settings: Settings,
  { file, request }: SetItem,
  { firsts, strict }: { readonly firsts: Map<string, string>; readonly strict: boolean },
): Promise<Result<SetSkill>> {
  if (!request.ok) return request
  const read = await validateSkill(ports, settings, { ...request.value, strict })
  if (!read.ok) return read
  const { skillId } = read.value.skill
  const first = firsts.get(skillId)
  if (first !== undefined)
    return refuse('invalid_skill', `/id is also the id of ${first}; keep one of the two.`)
  firsts.set(skillId, file)
  const long = longNameWarning(skillId)
  const warnings = [...read.value.warnings, ...(long === undefined ? [] : [long])]
  return ok({ file, read: read.value, warnings })
}

/** Pointers into the set; a file's path stands before its message. */
function faultsOf({ file, pointer }: SetItem, { detail, faults }: Refusal): readonly FieldFault[] {
  const named = file === pointer ? '' : `${file}: `
  if (faults === undefined || faults.length === 0)
    return [{ pointer, message: `${named}${detail}` }]
  return faults.map((fault) => ({
    pointer: `${pointer}${fault.pointer}`,
    message: `${named}${fault.message}`,
  }))
}

function refuseSet(faults: readonly FieldFault[], faulty: number, count: number): Result<never> {
  const [first] = faults
  const detail =
    `${faulty} of ${count} skills cannot be taken, so nothing was changed. ` +
    `The first: ${first?.pointer ?? ''} ${first?.message ?? ''}`
  return refuse('invalid_skill', detail, { faults: faults.slice(0, FAULTS_MAX) })
}
