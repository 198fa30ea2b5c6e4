/** In-memory twin of the port Skills. */
import type { Skills } from '../../core/ports.ts'
import type { SkillRecord, SkillSource } from '../../core/skills/skill.ts'
import type { Cells } from './database.ts'
import type { Shelf } from './table.ts'

export function memorySkills(cells: Cells): Skills {
  return {
    get: async ({ source, skillId, uid }) => {
      const { shelf, partition } = placeOf(cells, source, uid)
      return shelf.get(partition, skillId)
    },
    put: async (record, ifVersion) => {
      const { shelf, partition } = placeOf(cells, record.source, record.uid)
      // Two writers from one version: the first raises it, so the second is told false.
      if ((shelf.get(partition, record.skillId)?.version ?? 0) !== ifVersion) return false
      shelf.put(partition, record.skillId, record)
      return true
    },
    remove: async ({ source, skillId, uid }, ifVersion) => {
      const { shelf, partition } = placeOf(cells, source, uid)
      if (shelf.get(partition, skillId)?.version !== ifVersion) return false
      shelf.remove(partition, skillId)
      return true
    },
    list: async ({ source, uid, after, limit }) => {
      const { shelf, partition } = placeOf(cells, source, uid)
      const found = shelf.list(partition, { after, limit: limit + 1 })
      const records = found.slice(0, limit)
      return { records, next: found.length > limit ? records.at(-1)?.skillId : undefined }
    },
    claimToolName: async ({ uid, toolName, skillId }) => {
      const claim = cells.toolNames.get(uid, toolName)
      if (claim !== undefined) return claim.skillId
      cells.toolNames.put(uid, toolName, { skillId })
      return skillId
    },
  }
}

/** A private record without a uid has a partition that no user can have. */
function placeOf(
  cells: Cells,
  source: SkillSource,
  uid: string | undefined,
): { shelf: Shelf<SkillRecord>; partition: string } {
  switch (source) {
    case 'private':
      return { shelf: cells.privateSkills, partition: uid ?? '' }
    case 'official':
    case 'market':
      return { shelf: cells.sharedSkills, partition: source }
    default:
      return source satisfies never
  }
}
