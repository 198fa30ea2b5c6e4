/** Picks one of the records that a name may mean (docs/service.md, Skill tiers). */
import type { Candidates, SkillRecord } from './skill.ts'

/** A private skill takes precedence over an official one, and that over a market one. */
export function resolve(candidates: Candidates): SkillRecord | undefined {
  return candidates.private ?? candidates.official ?? candidates.market
}
