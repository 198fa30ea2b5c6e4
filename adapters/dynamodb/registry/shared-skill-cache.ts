/**
 * A cache of official and market skills, and of their absence, in this process. Never a source of
 * truth: an entry lasts SHARED_CACHE_MS, or until the list version changes. Bound by
 * docs/service.md, Caches, and ADR 0038.
 */
import type { Clock } from '../../../core/ports/outside.ts'
import type { SkillRecord } from '../../../core/skills/skill.ts'
import { expiringMap } from '../client/expiring-map.ts'

/** A change whose broadcast was never written takes effect everywhere within this time. */
export const SHARED_CACHE_MS = 30_000
/** Skill ids; records are a few kB each. */
export const SHARED_CACHE_ENTRIES_MAX = 2_000
/**
 * A read that began sooner after a change than this may have found the record of before it: reads
 * are eventually consistent, and the change has its time from another machine's clock.
 */
export const SETTLED_MS = 5_000

export type SharedSkills = {
  readonly official: SkillRecord | undefined
  readonly market: SkillRecord | undefined
}

export type SharedSkillCache = {
  /** The skills of this id as far as this process knows; undefined when they must be read. */
  find(skillId: string): SharedSkills | undefined
  /** `fromMs`: when the read began. */
  keep(skillId: string, skills: SharedSkills, fromMs: number): void
  /** A list version that was read just now. An older one, of a replica that lags, changes nothing. */
  noteListVersion(changedAtMs: number): void
}

/**
 *   put of the skill ── broadcast at c ──────────── c + SETTLED_MS ───────────────
 *   entry read here: stale    entry read here: used once    entry read here: cached
 */
export function sharedSkillCache(clock: Clock): SharedSkillCache {
  const entries = expiringMap<{ readonly skills: SharedSkills; readonly fromMs: number }>(clock, {
    lifeMs: SHARED_CACHE_MS,
    entriesMax: SHARED_CACHE_ENTRIES_MAX,
  })
  // So far back that the rule also holds for a clock that starts at 0.
  let changedAtMs = Number.NEGATIVE_INFINITY
  return {
    find(skillId) {
      const entry = entries.get(skillId)?.value
      if (entry === undefined || entry.fromMs < changedAtMs + SETTLED_MS) return undefined
      return entry.skills
    },
    keep: (skillId, skills, fromMs) => entries.set(skillId, { skills, fromMs }, fromMs),
    noteListVersion(read) {
      changedAtMs = Math.max(changedAtMs, read)
    },
  }
}
