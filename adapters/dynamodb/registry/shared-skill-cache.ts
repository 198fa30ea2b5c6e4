/**
 * Caches official and market skills, and their absence, in this process. An entry lasts
 * SHARED_CACHE_MS, or until the list version changes. Bound by docs/service.md, Caches, and
 * docs/design/store.md#the-broadcast.
 */
import type { Clock } from '../../../core/ports/outside.ts'
import type { SkillRecord } from '../../../core/skills/skill.ts'
import { expiringMap } from '../client/expiring-map.ts'

/** A change whose broadcast was never written takes effect in every process within this time. */
export const SHARED_CACHE_MS = 30_000
/** Cached skill ids; a record takes a few kB. */
export const SHARED_CACHE_ENTRIES_MAX = 2_000
/**
 * A read that begins within this time after a change may return the old record: reads are
 * eventually consistent, and the time of the change comes from another machine's clock.
 */
export const SETTLED_MS = 5_000

export type SharedSkills = {
  readonly official: SkillRecord | undefined
  readonly market: SkillRecord | undefined
}

export type SharedSkillCache = {
  /** The cached skills of this id; undefined if they must be read. */
  find(skillId: string): SharedSkills | undefined
  /** `fromMs`: when the read began (epoch ms). */
  keep(skillId: string, skills: SharedSkills, fromMs: number): void
  /**
   * Notes a version that was just read. An older one, from a replica that lags, changes nothing.
   */
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
  // Before any time, so that entries are valid even if the clock starts at 0.
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
