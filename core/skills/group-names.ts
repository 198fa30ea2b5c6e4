/**
 * Names of groups: which users see a skill. Compared as they are written. The count is small, since each
 * call and each list compares the groups of a skill with those of its caller.
 */
import type { FieldFault } from '../errors.ts'
import type { Json } from '../json/json.ts'

/** Groups of one skill. */
export const SKILL_GROUPS_MAX = 16
/** Groups of one user: each call reads them with the profile. */
export const USER_GROUPS_MAX = 32
export const GROUP_CHARS_MAX = 64

export const GROUP_PATTERN = `^[A-Za-z0-9][A-Za-z0-9_-]{0,${GROUP_CHARS_MAX - 1}}$`
export const GROUP_RULE = `must be 1 to ${GROUP_CHARS_MAX} characters of A-Z, a-z, 0-9, - and _, a letter or digit first`

const GROUP = new RegExp(GROUP_PATTERN)

export function isGroupName(value: unknown): value is string {
  return typeof value === 'string' && GROUP.test(value)
}

export function groupsRule(max: number): string {
  return `must be a list of at most ${max} groups`
}

/** Each name once, in order; a fault for each entry that is no name. */
export function readGroups(
  value: Json,
  { at, max }: { readonly at: string; readonly max: number },
): { readonly groups: readonly string[]; readonly faults: readonly FieldFault[] } {
  if (!Array.isArray(value) || value.length > max) {
    return { groups: [], faults: [{ pointer: at, message: groupsRule(max) }] }
  }
  const faults = value.flatMap((name: Json, index) =>
    isGroupName(name) ? [] : [{ pointer: `${at}/${index}`, message: GROUP_RULE }],
  )
  return { groups: [...new Set(value.filter(isGroupName))].sort(), faults }
}
