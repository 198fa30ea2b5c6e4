/** In-memory twin of the port Skills. */
import type { Skills } from '../../core/ports.ts'
import type { SkillRecord, SkillSource } from '../../core/skills/skill.ts'
import type { Database } from './database.ts'
import { putVersion } from './skill-versions.ts'
import type { Table } from './table.ts'

export function memorySkills(database: Database): Skills {
  return {
    get: async ({ source, skillId, uid }) => {
      const { table, partition } = placeOf(database, source, uid)
      return table.get(partition, skillId)
    },
    put: async (record, ifVersion) => {
      const { table, partition } = placeOf(database, record.source, record.uid)
      // Two writers from one version: the first raises it, so the second gets false.
      if ((table.get(partition, record.skillId)?.version ?? 0) !== ifVersion) return false
      if (!putVersion(database, record)) return false
      table.put(partition, record.skillId, record)
      return true
    },
    remove: async ({ source, skillId, uid }, ifVersion) => {
      const { table, partition } = placeOf(database, source, uid)
      if (table.get(partition, skillId)?.version !== ifVersion) return false
      table.remove(partition, skillId)
      return true
    },
    list: async ({ source, uid, after, limit }) => {
      const { table, partition } = placeOf(database, source, uid)
      const found = table.list(partition, { after, limit: limit + 1 })
      const records = found.slice(0, limit)
      return { records, next: found.length > limit ? records.at(-1)?.skillId : undefined }
    },
    claimToolName: async ({ uid, toolName, skillId }) => {
      const claim = database.toolNames.get(uid, toolName)
      if (claim !== undefined) return claim.skillId
      database.toolNames.put(uid, toolName, { toolName, skillId })
      return skillId
    },
    dropToolNames: async (uid) => {
      for (const { toolName } of database.toolNames.list(uid)) {
        database.toolNames.remove(uid, toolName)
      }
    },
  }
}

/** A private record without a uid has a partition that no user can have. */
function placeOf(
  database: Database,
  source: SkillSource,
  uid: string | undefined,
): { table: Table<SkillRecord>; partition: string } {
  switch (source) {
    case 'private':
      return { table: database.privateSkills, partition: uid ?? '' }
    case 'official':
    case 'market':
      return { table: database.sharedSkills, partition: source }
    default:
      return source satisfies never
  }
}
