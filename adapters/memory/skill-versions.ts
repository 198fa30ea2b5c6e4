/** In-memory twin of the port SkillVersions, and the version that `put` of a skill writes. */
import type { SkillVersions, SkillVersionsOf } from '../../core/ports.ts'
import { SKILL_VERSIONS_KEPT } from '../../core/skills/limits.ts'
import type { SkillRecord } from '../../core/skills/skill.ts'
import type { Database } from './database.ts'

export function memorySkillVersions({ skillVersions }: Database): SkillVersions {
  return {
    list: async ({ before = Number.MAX_SAFE_INTEGER, limit, ...of }) => {
      const page = { before: sortOf(before), backwards: true, limit: limit + 1 }
      const newest = skillVersions.list(partitionOf(of), page)
      const versions = newest.slice(0, limit)
      return { versions, next: newest.length > limit ? versions.at(-1)?.version : undefined }
    },
    get: async ({ version, ...of }) => skillVersions.get(partitionOf(of), sortOf(version)),
    dropOwned: async ({ uid, limit }) => {
      const owned = skillVersions
        .all()
        .filter((record) => record.source === 'private' && record.uid === uid)
      for (const record of owned.slice(0, limit)) {
        skillVersions.remove(partitionOf(record), sortOf(record.version))
      }
      return owned.length <= limit
    },
    keep: async (record) => {
      const [partition, sort] = [partitionOf(record), sortOf(record.version)]
      if (skillVersions.get(partition, sort) === undefined) {
        skillVersions.put(partition, sort, record)
      }
    },
  }
}

/** False, and nothing is written, when the version was written before. */
export function putVersion({ skillVersions }: Database, record: SkillRecord): boolean {
  const partition = partitionOf(record)
  if (skillVersions.get(partition, sortOf(record.version)) !== undefined) return false
  skillVersions.put(partition, sortOf(record.version), record)
  skillVersions.remove(partition, sortOf(record.version - SKILL_VERSIONS_KEPT))
  return true
}

function partitionOf({ skillId, source, uid }: SkillVersionsOf): string {
  return JSON.stringify([source, source === 'private' ? (uid ?? '') : '', skillId])
}

/** Sorts as the number does. */
function sortOf(version: number): string {
  return String(version).padStart(12, '0')
}
