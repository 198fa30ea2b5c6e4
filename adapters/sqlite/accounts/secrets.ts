/** The port SecretStore: returns sealed values as they were stored, and caches none. */
import type { SecretStore } from '../../../core/ports.ts'
import { SECRETS_MAX } from '../../../core/secrets/limits.ts'
import { GLOBAL, type StoredSecret } from '../../../core/secrets/secret.ts'
import { byPlace } from '../../../core/secrets/secret-place.ts'
import type { Database } from '../database/database.ts'
import { bytesAt, intAt, optionalTextAt, type Row, textAt } from '../database/row.ts'
import { sharedSecretFinder } from './shared-secrets.ts'

export function sqliteSecrets(database: Database): SecretStore {
  const find = database.prepare('SELECT * FROM secrets WHERE uid = ? AND skillId = ? AND name = ?')
  const list = database.prepare('SELECT * FROM secrets WHERE uid = ?')
  const count = database.prepare(
    'SELECT count(*) AS names FROM secrets WHERE uid = ? AND skillId = ?',
  )
  const put = database.prepare(
    `INSERT INTO secrets (uid, skillId, name, sealed, updatedAtMs, binding) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET sealed = excluded.sealed, updatedAtMs = excluded.updatedAtMs,
       binding = excluded.binding`,
  )
  const remove = database.prepare('DELETE FROM secrets WHERE uid = ? AND skillId = ? AND name = ?')
  const findShared = sharedSecretFinder(database)
  return {
    find: (wanted) =>
      database.snapshot(() => {
        const { names, skillId, uid, withShared } = wanted
        const own = [skillId, GLOBAL].flatMap((owner) =>
          names.flatMap((name) => [find.get(uid, owner, name) ?? []].flat().map(secretFrom)),
        )
        return withShared === true ? [...own, ...findShared(wanted)] : own
      }),
    put: ({ uid, binding, name, sealed, skillId = GLOBAL, updatedAtMs }) =>
      database.writeDurably(() => {
        const isNew = find.get(uid, skillId, name) === undefined
        const names = intAt(count.get(uid, skillId) ?? {}, 'names')
        if (isNew && names >= SECRETS_MAX) return 'too_many'
        put.run(uid, skillId, name, sealed, updatedAtMs, binding ?? null)
        return 'stored'
      }),
    remove: ({ uid, skillId = GLOBAL, name }) =>
      database.writeDurably(() => remove.run(uid, skillId, name).changes === 1),
    list: async (uid) =>
      (await database.read(() => list.all(uid)))
        .map(secretFrom)
        .map(({ sealed: _sealed, ...shown }) => shown)
        .sort(byPlace),
  }
}

function secretFrom(row: Row): StoredSecret {
  const skillId = textAt(row, 'skillId')
  return {
    skillId: skillId === GLOBAL ? undefined : skillId,
    name: textAt(row, 'name'),
    sealed: bytesAt(row, 'sealed'),
    updatedAtMs: intAt(row, 'updatedAtMs'),
    binding: optionalTextAt(row, 'binding'),
  }
}
