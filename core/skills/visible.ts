/**
 * Who sees and calls a shared skill: the one rule for lists, searches and calls. A skill without
 * groups is for everyone; another one for users who have at least one of its groups. A private skill
 * is its owner's whatever its groups. Bound by docs/service.md, Groups, and ADR 0047.
 * Of the records that a name may mean, `resolve` picks one (docs/service.md, Skill tiers).
 */
import type { Json } from '../json/json.ts'
import { isGroupName } from './group-names.ts'
import type { Candidates, SkillRecord } from './skill.ts'

/** Names of groups; none is the empty list. */
export type Groups = readonly string[]

export const NO_GROUPS: Groups = []

/** For groups that cannot be read: no user has this one, since it is no name of a group. */
const NOBODY: Groups = ['-']

/** `groups` of a shared skill, or of its entry in the list; undefined or empty: for everyone. */
export function isVisible(groups: Groups | undefined, callersGroups: Groups): boolean {
  if (groups === undefined || groups.length === 0) return true
  return groups.some((group) => callersGroups.includes(group))
}

/**
 * The records that a caller may call. The official skill stands before the market's of its id, whether
 * this caller sees it or not: the list has one entry for both.
 */
export function visibleCandidates(found: Candidates, callersGroups: Groups): Candidates {
  const shared = found.official ?? found.market
  if (shared === undefined) return found
  if (isVisible(groupsOf(shared), callersGroups)) return found
  return { private: found.private, official: undefined, market: undefined }
}

export function groupsOf({ definition }: Pick<SkillRecord, 'definition'>): Groups {
  return groupsFrom(definition['groups'])
}

/**
 * The groups of a stored value. An unreadable value, such as a `groups` field from before groups existed, hides
 * the skill from everyone until it is synced again.
 */
export function groupsFrom(value: Json | undefined): Groups {
  if (value === undefined) return NO_GROUPS
  const names = Array.isArray(value) ? value.filter(isGroupName) : []
  return Array.isArray(value) && names.length === value.length ? names : NOBODY
}

/** A private skill takes precedence over an official one, and that over a market one. */
export function resolve(candidates: Candidates): SkillRecord | undefined {
  return candidates.private ?? candidates.official ?? candidates.market
}
