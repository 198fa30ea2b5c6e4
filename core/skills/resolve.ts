/** Which of the records that one name may mean is called (docs/service.md, Skill tiers). */
import type { Candidates, SkillRecord } from './skill.ts'

/** The first hit in priority order: a private skill shadows an official one, that one a market one. */
export function resolve(candidates: Candidates): SkillRecord | undefined {
  return candidates.private ?? candidates.official ?? candidates.market
}
