/**
 * Looks up the skills behind pushed entries. Each entry gets the groups of the skill that it runs, and an
 * entry whose `skillId` would have no effect is refused: a call by the name of a stored shared skill
 * runs that skill, whatever the list says.
 */
import { type FieldFault, ok, type Result } from '../../errors.ts'
import { refuseFields } from '../../json/body-fields.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SkillRecord, Tool } from '../../skills/skill.ts'
import { enforcePrefix } from '../../skills/tool-name.ts'
import { entryWithGroups } from './entry-groups.ts'

type Needs = Pick<Ports, 'skills'>

/** Entries that are looked up at a time: 10,000 take some seconds of the request's 29. */
const LOOKED_UP_AT_ONCE = 50

export async function checkPushedSkills(
  ports: Needs,
  { prefix }: { readonly prefix: string },
  tools: readonly Tool[],
): Promise<Result<readonly Tool[]>> {
  const entries = [...tools.entries()]
  const faults: FieldFault[] = []
  const checked: Tool[] = []
  for (let from = 0; from < entries.length; from += LOOKED_UP_AT_ONCE) {
    const some = entries.slice(from, from + LOOKED_UP_AT_ONCE)
    for (const one of await Promise.all(some.map((entry) => checkEntry(ports, prefix, entry)))) {
      if ('pointer' in one) faults.push(one)
      else checked.push(one)
    }
  }
  return faults.length === 0 ? ok(checked) : refuseFields('invalid_arguments', faults)
}

async function checkEntry(
  ports: Needs,
  prefix: string,
  [index, tool]: [number, Tool],
): Promise<Tool | FieldFault> {
  const { name } = tool
  const skillId = enforcePrefix(prefix, tool.skillId ?? name)
  const record = await sharedSkill(ports, skillId)
  if (skillId === name) return entryWithGroups(tool, record)
  const other = await sharedSkill(ports, name)
  if (other === undefined) return entryWithGroups(tool, record)
  return {
    pointer: `/tools/${index}/skillId`,
    message: `must be ${name}: a call by this name runs the ${other.source} skill of that id`,
  }
}

/** The one that a call runs: the official skill stands before the market's. */
async function sharedSkill({ skills }: Needs, skillId: string): Promise<SkillRecord | undefined> {
  return (
    (await skills.get({ source: 'official', skillId })) ??
    (await skills.get({ source: 'market', skillId }))
  )
}
