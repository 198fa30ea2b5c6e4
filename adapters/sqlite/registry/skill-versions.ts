/** The port SkillVersions, and what `put` of a skill writes of it. */
import type { SkillVersions } from '../../../core/ports.ts'
import { SKILL_VERSIONS_KEPT } from '../../../core/skills/limits.ts'
import type { SkillRecord } from '../../../core/skills/skill.ts'
import type { Database } from '../database/database.ts'
import { intAt, jsonObjectFrom, textAt } from '../database/row.ts'
import { ownerOf, skillFrom } from './skill-row.ts'

export function sqliteSkillVersions(database: Database): SkillVersions {
  const find = database.prepare(
    'SELECT * FROM skill_versions WHERE source = ? AND uid = ? AND skillId = ? AND version = ?',
  )
  const below = database.prepare(
    `SELECT * FROM skill_versions WHERE source = ? AND uid = ? AND skillId = ? AND version < ?
     ORDER BY version DESC LIMIT ?`,
  )
  const drop = database.prepare(
    'DELETE FROM skill_versions WHERE source = ? AND uid = ? AND skillId = ? AND version = ?',
  )
  const owned = database.prepare(
    "SELECT skillId, version FROM skill_versions WHERE source = 'private' AND uid = ? LIMIT ?",
  )
  const insert = versionInsert(database)
  return {
    list: async ({ source, skillId, uid, before = Number.MAX_SAFE_INTEGER, limit }) => {
      const owner = ownerOf(source, uid)
      const rows = await database.read(() => below.all(source, owner, skillId, before, limit + 1))
      const versions = rows.slice(0, limit).map((row) => skillFrom(row, parse))
      return { versions, next: rows.length > limit ? versions.at(-1)?.version : undefined }
    },
    get: async ({ source, skillId, uid, version }) => {
      const row = await database.read(() =>
        find.get(source, ownerOf(source, uid), skillId, version),
      )
      return row === undefined ? undefined : skillFrom(row, parse)
    },
    dropOwned: ({ uid, limit }) =>
      database.writeDurably(() => {
        const some = owned.all(uid, limit)
        for (const row of some) {
          drop.run('private', uid, textAt(row, 'skillId'), intAt(row, 'version'))
        }
        return some.length < limit
      }),
    keep: (record) => database.writeDurably(() => void insert(record)),
  }
}

/** Inside the transaction of a put. False, and nothing is written, when the version was written before. */
export function versionPut(database: Database): (record: SkillRecord) => boolean {
  const insert = versionInsert(database)
  const remove = database.prepare(
    'DELETE FROM skill_versions WHERE source = ? AND uid = ? AND skillId = ? AND version <= ?',
  )
  return (record) => {
    if (!insert(record)) return false
    const { skillId, source, uid, version } = record
    remove.run(source, ownerOf(source, uid), skillId, version - SKILL_VERSIONS_KEPT)
    return true
  }
}

function versionInsert(database: Database): (record: SkillRecord) => boolean {
  const insert = database.prepare(
    `INSERT INTO skill_versions (source, uid, skillId, toolName, definition, createdAtMs, updatedAtMs,
       version, madeBy, origin)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  return (record) => {
    const { by = null, createdAtMs, definition, origin = null, skillId, source, toolName } = record
    const key = [source, ownerOf(source, record.uid), skillId, toolName]
    const values = [JSON.stringify(definition), createdAtMs, record.updatedAtMs, record.version]
    return insert.run(...key, ...values, by, origin).changes === 1
  }
}

function parse(text: string) {
  return jsonObjectFrom(text, 'definition')
}
