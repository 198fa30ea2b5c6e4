/**
 * The port CallLookup: one moment of the store, by primary keys alone; always as new as the store. Caches
 * candidates while the database's epoch stays the same and this connection changes no skill.
 */
import type { CallLookup } from '../../../core/ports.ts'
import type { Candidates, SkillRecord, SkillSource } from '../../../core/skills/skill.ts'
import type { ProfileRows } from '../accounts/profile-rows.ts'
import type { Database } from '../database/database.ts'
import { textAt } from '../database/row.ts'
import type { KnownCandidates } from './known-candidates.ts'
import { knownDefinitions } from './known-definitions.ts'
import { ownerOf, skillFrom } from './skill-row.ts'

type Query = Parameters<CallLookup['read']>[0]

export function sqliteCallLookup(
  database: Database,
  profiles: ProfileRows,
  known: KnownCandidates,
): CallLookup {
  const definitions = knownDefinitions()
  const findSkill = database.prepare(
    'SELECT * FROM skills WHERE source = ? AND uid = ? AND skillId = ?',
  )
  const findName = database.prepare('SELECT skillId FROM tool_names WHERE uid = ? AND toolName = ?')
  const skill = (source: SkillSource, uid: string, skillId: string): SkillRecord | undefined => {
    const row = findSkill.get(source, ownerOf(source, uid), skillId)
    return row === undefined ? undefined : skillFrom(row, definitions.of)
  }
  /** The claimed name first, then the name without the username, then the name with the prefix. */
  const privateRecord = ({ uid, name, skillId, cut }: Query): SkillRecord | undefined => {
    const find = (id: string | undefined) =>
      id === undefined ? undefined : skill('private', uid, id)
    const claimed = findName.get(uid, name)
    const byName = claimed === undefined ? undefined : textAt(claimed, 'skillId')
    return find(byName) ?? find(cut) ?? find(skillId)
  }
  const candidatesOf = (query: Query): Candidates => ({
    private: privateRecord(query),
    official: skill('official', '', query.skillId),
    market: skill('market', '', query.skillId),
  })
  const readAll = (query: Query) => {
    const candidates = candidatesOf(query)
    known.keep(query, database.epoch(), candidates)
    return { profile: profiles.find(query.uid), candidates }
  }
  return {
    read: (query) =>
      database
        .read(() => {
          const epoch = database.epoch()
          const candidates = known.of(query, epoch)
          const profile = candidates === undefined ? undefined : profiles.known(query.uid, epoch)
          return profile === undefined || candidates === undefined
            ? undefined
            : { profile, candidates }
        })
        .then((found) => found ?? database.snapshot(() => readAll(query))),
  }
}
