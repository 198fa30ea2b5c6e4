/**
 * Names of groups, which decide who sees a skill. Names are compared exactly. Their number is
 * limited to a few, because each call and each list compares a skill's groups with its caller's.
 */
import type { FieldError } from '../errors.ts'
import type { Json } from '../json/json.ts'

/** Groups of one skill. */
export const SKILL_GROUPS_MAX = 16
/** Groups of one user. Each call reads them with the profile. */
export const USER_GROUPS_MAX = 32
export const GROUP_CHARS_MAX = 64

export const GROUP_PATTERN = `^[A-Za-z0-9][A-Za-z0-9_-]{0,${GROUP_CHARS_MAX - 1}}$`
export const GROUP_RULE = `must be 1 to ${GROUP_CHARS_MAX} characters of A-Z, a-z, 0-9, - and _, a letter or digit first`

const GROUP = new RegExp(GROUP_PATTERN)

export function isGroupName(value: unknown): value is string {
  return typeof value === 'string' && GROUP.test(value)
}

export function writeGroupsRule(max: number): string {
  return `must be a list of at most ${max} groups`
}

/** Returns each name once, sorted, and a field error for each entry that is not a name. */
export function readGroups(
  value: Json,
  { at, max }: { readonly at: string; readonly max: number },
): { readonly groups: readonly string[]; readonly faults: readonly FieldError[] } {
  if (!Array.isArray(value) || value.length > max) {
    return { groups: [], faults: [{ pointer: at, message: writeGroupsRule(max) }] }
  }
  const faults = value.flatMap((name: Json, index) =>
    isGroupName(name) ? [] : [{ pointer: `${at}/${index}`, message: GROUP_RULE }],
  )
  return { groups: [...new Set(value.filter(isGroupName))].sort(), faults }
}
