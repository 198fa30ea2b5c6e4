/**
 * Gives each list entry the groups of the skill that it runs, so that a user sees exactly the tools
 * that the user may call (core/skills/visible.ts).
 */
import type { SkillRecord, Tool } from '../../skills/skill.ts'
import { enforcePrefix } from '../../skills/tool-name.ts'
import { getSkillGroups } from '../../skills/visible.ts'

/**
 * Returns the entry with the groups of its skill. An entry without a stored skill keeps its groups,
 * so that the text of a deleted skill is not shown to further users.
 */
export function withSkillGroups(entry: Tool, record: SkillRecord | undefined): Tool {
  if (record === undefined) return entry
  const { groups: before, ...others } = entry
  const groups = getSkillGroups(record)
  if (JSON.stringify(groups) === JSON.stringify(before ?? [])) return entry
  return groups.length === 0 ? others : { ...others, groups }
}

/**
 * Returns the list in which entries that run this skill under other names have its groups; the same
 * array if no entry changes.
 */
export function updateAliasGroups(
  tools: readonly Tool[],
  prefix: string,
  record: SkillRecord | undefined,
): readonly Tool[] {
  if (record === undefined) return tools
  const { skillId } = record
  const changed = tools.map((tool) => {
    const isAlias = tool.skillId !== undefined && tool.name !== skillId
    return isAlias && enforcePrefix(prefix, tool.skillId) === skillId
      ? withSkillGroups(tool, record)
      : tool
  })
  return changed.some((tool, at) => tool !== tools[at]) ? changed : tools
}
