/**
 * The port SharedSecrets, and the reads of shared secrets for SecretStore: sealed as stored,
 * uncached.
 */
import type { SecretStore, SharedSecrets } from '../../../core/ports.ts'
import { SHARED_SECRETS_MAX } from '../../../core/secrets/limits.ts'
import { type FoundSecret, GLOBAL } from '../../../core/secrets/secret.ts'
import { byPlace } from '../../../core/secrets/secret-place.ts'
import type { Database } from '../database/database.ts'
import {
  bytesAt,
  intAt,
  optionalBytesAt,
  optionalIntAt,
  type Row,
  textAt,
} from '../database/row.ts'

const NAMED = 'skillId = ? AND name = ?'

/** Finds inside a transaction of the caller. */
export function sharedSecretFinder(
  database: Database,
): (of: Parameters<SecretStore['find']>[0]) => readonly FoundSecret[] {
  const find = database.prepare(`SELECT * FROM shared_secrets WHERE ${NAMED}`)
  return ({ names, skillId }) =>
    [skillId, GLOBAL].flatMap((owner) =>
      names.flatMap((name) => [find.get(owner, name) ?? []].flat().map(foundFrom)),
    )
}

export function sqliteSharedSecrets(database: Database): SharedSecrets {
  const run = statements(database)
  return {
    put: (secret, keepPreviousUntilMs) =>
      database.writeDurably(() => {
        const { binding, name, sealed, setBy, skillId = GLOBAL, updatedAtMs } = secret
        const before = run.find.get(skillId, name)
        const names = intAt(run.count.get(skillId) ?? {}, 'names')
        if (before === undefined && names >= SHARED_SECRETS_MAX) return 'too_many'
        const previous =
          before === undefined || keepPreviousUntilMs === undefined
            ? [null, null, null]
            : [bytesAt(before, 'sealed'), textAt(before, 'binding'), keepPreviousUntilMs]
        run.put.run(skillId, name, sealed, binding, setBy, updatedAtMs, ...previous)
        return 'stored'
      }),
    remove: ({ name, skillId = GLOBAL }) =>
      database.writeDurably(() => run.remove.run(skillId, name).changes === 1),
    list: async () => (await database.read(() => run.list.all())).map(dateFrom).sort(byPlace),
    noteUse: ({ day, name, skillId = GLOBAL }) =>
      database.write(() => void run.noteUse.run(skillId, name, day)),
  }
}

function statements(database: Database) {
  return {
    find: database.prepare(`SELECT sealed, binding FROM shared_secrets WHERE ${NAMED}`),
    count: database.prepare('SELECT count(*) AS names FROM shared_secrets WHERE skillId = ?'),
    put: database.prepare(
      `INSERT OR REPLACE INTO shared_secrets (skillId, name, sealed, binding, setBy, updatedAtMs,
         previousSealed, previousBinding, previousUntilMs) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    remove: database.prepare(`DELETE FROM shared_secrets WHERE ${NAMED}`),
    list: database.prepare(
      `SELECT skillId, name, binding, setBy, updatedAtMs, previousUntilMs, day
       FROM shared_secrets LEFT JOIN secret_uses USING (skillId, name)`,
    ),
    noteUse: database.prepare(
      `INSERT INTO secret_uses (skillId, name, day) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET day = max(day, excluded.day)`,
    ),
  }
}

function foundFrom(row: Row): FoundSecret {
  const sealed = optionalBytesAt(row, 'previousSealed')
  return {
    ...placeFrom(row),
    sealed: bytesAt(row, 'sealed'),
    updatedAtMs: intAt(row, 'updatedAtMs'),
    binding: textAt(row, 'binding'),
    isShared: true,
    ...(sealed === undefined
      ? {}
      : {
          previous: {
            sealed,
            binding: textAt(row, 'previousBinding'),
            untilMs: intAt(row, 'previousUntilMs'),
          },
        }),
  }
}

function dateFrom(row: Row) {
  return {
    ...placeFrom(row),
    updatedAtMs: intAt(row, 'updatedAtMs'),
    binding: textAt(row, 'binding'),
    setBy: textAt(row, 'setBy'),
    previousUntilMs: optionalIntAt(row, 'previousUntilMs'),
    lastUsedDay: optionalIntAt(row, 'day'),
  }
}

function placeFrom(row: Row) {
  const skillId = textAt(row, 'skillId')
  return { name: textAt(row, 'name'), skillId: skillId === GLOBAL ? undefined : skillId }
}
