/** The port Skills. Of two writers from one version the first raises it, so the second is told false. */
import type { Skills } from '../../../core/ports.ts'
import type { SkillRecord } from '../../../core/skills/skill.ts'
import type { Database } from '../database/database.ts'
import { intAt, jsonObjectFrom, textAt } from '../database/row.ts'
import { inSteps, ROWS_PER_STEP } from '../database/steps.ts'
import { ownerOf, skillFrom } from './skill-row.ts'
import { versionPut } from './skill-versions.ts'

type Of = Parameters<Skills['list']>[0]

/** Calls `changed` for each change of a skill or of a tool's name, before it is committed. */
export function sqliteSkills(database: Database, changed: () => void): Skills {
  const find = database.prepare('SELECT * FROM skills WHERE source = ? AND uid = ? AND skillId = ?')
  const findVersion = database.prepare(
    'SELECT version FROM skills WHERE source = ? AND uid = ? AND skillId = ?',
  )
  const put = database.prepare(
    `INSERT OR REPLACE INTO skills
       (source, uid, skillId, toolName, definition, createdAtMs, updatedAtMs, version, madeBy, origin)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const putVersion = versionPut(database)
  const remove = database.prepare(
    'DELETE FROM skills WHERE source = ? AND uid = ? AND skillId = ? AND version = ?',
  )
  const claim = database.prepare(
    `INSERT INTO tool_names (uid, toolName, skillId) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET skillId = skillId RETURNING skillId`,
  )
  const dropNames = database.prepare('DELETE FROM tool_names WHERE uid = ?')
  const list = skillPages(database)
  return {
    get: async ({ source, skillId, uid }) => {
      const row = await database.read(() => find.get(source, ownerOf(source, uid), skillId))
      return row === undefined ? undefined : skillFrom(row, parse)
    },
    put: (record, ifVersion) => {
      const { by = null, createdAtMs, origin = null, skillId, source, toolName } = record
      const { uid, updatedAtMs, version } = record
      const owner = ownerOf(source, uid)
      const definition = JSON.stringify(record.definition)
      return database.writeDurably(() => {
        const standing = findVersion.get(source, owner, skillId)
        const before = standing === undefined ? 0 : intAt(standing, 'version')
        if (before !== ifVersion || !putVersion(record)) return false
        changed()
        put.run(
          ...[source, owner, skillId, toolName, definition, createdAtMs],
          ...[updatedAtMs, version, by, origin],
        )
        return true
      })
    },
    remove: ({ source, skillId, uid }, ifVersion) =>
      database.writeDurably(() => {
        changed()
        return remove.run(source, ownerOf(source, uid), skillId, ifVersion).changes === 1
      }),
    list,
    claimToolName: ({ uid, toolName, skillId }) =>
      database.writeDurably(() => {
        changed()
        return textAt(claim.get(uid, toolName, skillId) ?? {}, 'skillId')
      }),
    dropToolNames: (uid) =>
      database.writeDurably(() => {
        changed()
        dropNames.run(uid)
      }),
  }
}

/** Reads a page in steps; a skill that changes meanwhile is in it in its old or its new state. */
function skillPages(database: Database): Skills['list'] {
  const beyond = database.prepare(
    'SELECT * FROM skills WHERE source = ? AND uid = ? AND skillId > ? ORDER BY skillId LIMIT ?',
  )
  return async ({ source, uid, after = '', limit }: Of) => {
    const records: SkillRecord[] = []
    const owner = ownerOf(source, uid)
    await inSteps(async () => {
      const from = records.at(-1)?.skillId ?? after
      const rows = Math.min(ROWS_PER_STEP, limit + 1 - records.length)
      const found = await database.read(() => beyond.all(source, owner, from, rows))
      for (const row of found) records.push(skillFrom(row, parse))
      return found.length === rows && records.length <= limit
    })
    const page = records.slice(0, limit)
    return { records: page, next: records.length > limit ? page.at(-1)?.skillId : undefined }
  }
}

function parse(text: string) {
  return jsonObjectFrom(text, 'definition')
}
