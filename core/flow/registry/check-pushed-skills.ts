/**
 * Refuses pushed entries whose `skillId` would have no effect: a call by the name of a stored
 * shared skill runs that skill, whatever the list says. Entries named as their own skill, the usual
 * ones, need no read.
 */
import { type FieldFault, ok, type Result } from '../../errors.ts'
import { refuseFields } from '../../json/body-fields.ts'
import type { Ports } from '../../ports.ts'
import type { SkillSource, Tool } from '../../skills/skill.ts'
import { enforcePrefix } from '../../skills/tool-name.ts'

type Needs = Pick<Ports, 'skills'>

/** Entries that are looked up at a time: 10,000 take some seconds of the request's 29. */
const LOOKED_UP_AT_ONCE = 50

const SHARED: readonly SkillSource[] = ['official', 'market']

export async function checkPushedSkills(
  ports: Needs,
  { prefix }: { readonly prefix: string },
  tools: readonly Tool[],
): Promise<Result<readonly Tool[]>> {
  const renamed = [...tools.entries()].filter(
    ([, { name, skillId }]) => skillId !== undefined && enforcePrefix(prefix, skillId) !== name,
  )
  const faults: FieldFault[] = []
  for (let from = 0; from < renamed.length; from += LOOKED_UP_AT_ONCE) {
    const some = renamed.slice(from, from + LOOKED_UP_AT_ONCE)
    const found = await Promise.all(some.map(([index, tool]) => faultOf(ports, index, tool)))
    faults.push(...found.filter((one) => one !== undefined))
  }
  return faults.length === 0 ? ok(tools) : refuseFields('invalid_arguments', faults)
}

async function faultOf(
  { skills }: Needs,
  index: number,
  { name }: Tool,
): Promise<FieldFault | undefined> {
  const records = await Promise.all(SHARED.map((source) => skills.get({ source, skillId: name })))
  const record = records.find((one) => one !== undefined)
  if (record === undefined) return undefined
  return {
    pointer: `/tools/${index}/skillId`,
    message: `must be ${name}: a call by this name runs the ${record.source} skill of that id`,
  }
}
