/**
 * The rule of who sees and calls a shared skill, for lists, searches and calls. A skill without
 * groups is for all users; a skill with groups is for users who have at least one of them. A
 * private skill is only for its owner, whatever its groups. Bound by docs/service.md, Groups, and
 * ADR 0047. `resolve` picks one of the records that a name may mean (docs/service.md, Skill tiers).
 */
import type { Json } from '../json/json.ts'
import { isGroupName } from './group-names.ts'
import type { Candidates, SkillRecord } from './skill.ts'

/** Names of groups. */
export type Groups = readonly string[]

export const NO_GROUPS: Groups = []

/** Replaces unreadable groups. No user has this group, because it is not a valid name. */
const NOBODY: Groups = ['-']

/** `groups` are of a shared skill or its list entry. Without groups, all users see it. */
export function isVisible(groups: Groups | undefined, callersGroups: Groups): boolean {
  if (groups === undefined || groups.length === 0) return true
  return groups.some((group) => callersGroups.includes(group))
}

/**
 * Returns the records that a caller may call. An official skill hides a market skill of the same id
 * even from callers who cannot see the official one, because the list has one entry for both.
 */
export function pickVisible(found: Candidates, callersGroups: Groups): Candidates {
  const shared = found.official ?? found.market
  if (shared === undefined) return found
  if (isVisible(getSkillGroups(shared), callersGroups)) return found
  return { private: found.private, official: undefined, market: undefined }
}

export function getSkillGroups({ definition }: Pick<SkillRecord, 'definition'>): Groups {
  return readStoredGroups(definition['groups'])
}

/**
 * Reads stored groups. An unreadable value, such as a `groups` field from before groups existed,
 * hides the skill from all users until it is synced again.
 */
export function readStoredGroups(value: Json | undefined): Groups {
  if (value === undefined) return NO_GROUPS
  const names = Array.isArray(value) ? value.filter(isGroupName) : []
  return Array.isArray(value) && names.length === value.length ? names : NOBODY
}

/** Picks the private skill, else the official one, else the market one. */
export function resolve(candidates: Candidates): SkillRecord | undefined {
  return candidates.private ?? candidates.official ?? candidates.market
}
