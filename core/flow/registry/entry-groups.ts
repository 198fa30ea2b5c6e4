/**
 * The groups of a list entry are those of the skill that it runs, so that list and calls agree
 * (core/skills/visible.ts).
 */
import type { SkillRecord, Tool } from '../../skills/skill.ts'
import { enforcePrefix } from '../../skills/tool-name.ts'
import { groupsOf } from '../../skills/visible.ts'

/**
 * An entry without a stored skill keeps its groups, so that a deleted skill's text is shown to no new users.
 */
export function entryWithGroups(entry: Tool, record: SkillRecord | undefined): Tool {
  if (record === undefined) return entry
  const { groups: before, ...others } = entry
  const groups = groupsOf(record)
  if (JSON.stringify(groups) === JSON.stringify(before ?? [])) return entry
  return groups.length === 0 ? others : { ...others, groups }
}

/** Entries that run this skill under names of their own get its groups; the same array if none changes. */
export function withGroupsOf(
  tools: readonly Tool[],
  prefix: string,
  record: SkillRecord | undefined,
): readonly Tool[] {
  if (record === undefined) return tools
  const { skillId } = record
  const changed = tools.map((tool) => {
    const isAlias = tool.skillId !== undefined && tool.name !== skillId
    return isAlias && enforcePrefix(prefix, tool.skillId) === skillId
      ? entryWithGroups(tool, record)
      : tool
  })
  return changed.some((tool, at) => tool !== tools[at]) ? changed : tools
}
