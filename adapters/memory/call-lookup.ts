/** In-memory twin of the port CallRecords: always as new as the store. */
import type { CallRecords } from '../../core/ports.ts'
import type { SkillRecord } from '../../core/skills/skill.ts'
import { type Cells, ONLY } from './database.ts'

type Query = Parameters<CallRecords['read']>[0]

export function memoryCallRecords(cells: Cells): CallRecords {
  return {
    read: async (query) => ({
      profile: cells.profiles.get(query.uid, ONLY),
      candidates: {
        private: privateRecord(cells, query),
        official: cells.sharedSkills.get('official', query.skillId),
        market: cells.sharedSkills.get('market', query.skillId),
      },
    }),
  }
}

/** The claimed name first, then the name without the username, then the name with the prefix. */
function privateRecord(cells: Cells, { uid, name, skillId, cut }: Query): SkillRecord | undefined {
  const find = (id: string | undefined) =>
    id === undefined ? undefined : cells.privateSkills.get(uid, id)
  return find(cells.toolNames.get(uid, name)?.skillId) ?? find(cut) ?? find(skillId)
}
