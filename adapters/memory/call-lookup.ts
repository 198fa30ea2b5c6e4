/** In-memory twin of the port CallLookup: always as new as the store. */
import type { CallLookup } from '../../core/ports.ts'
import type { SkillRecord } from '../../core/skills/skill.ts'
import { type Database, ONLY } from './database.ts'

type Query = Parameters<CallLookup['read']>[0]

export function memoryCallLookup(database: Database): CallLookup {
  return {
    read: async (query) => ({
      profile: database.profiles.get(query.uid, ONLY),
      candidates: {
        private: privateRecord(database, query),
        official: database.sharedSkills.get('official', query.skillId),
        market: database.sharedSkills.get('market', query.skillId),
      },
    }),
  }
}

/** The claimed name first, then the name without the username, then the name with the prefix. */
function privateRecord(
  database: Database,
  { uid, name, skillId, cut }: Query,
): SkillRecord | undefined {
  const find = (id: string | undefined) =>
    id === undefined ? undefined : database.privateSkills.get(uid, id)
  return find(database.toolNames.get(uid, name)?.skillId) ?? find(cut) ?? find(skillId)
}
