/** The port ClientResponses: the first answer of a client stands. */
import type { ClientResponses, Clock } from '../../../core/ports.ts'
import { INPUT_ANSWER_TTL_SEC } from '../../../core/session/limits.ts'
import type { Database } from '../database/database.ts'
import { expiredRows } from '../database/expired-rows.ts'
import { optionalBytesAt } from '../database/row.ts'

export function sqliteClientResponses(
  database: Database,
  clock: Pick<Clock, 'nowMs'>,
): ClientResponses {
  const expect = database.prepare(
    `INSERT INTO client_responses (hash, expiresAtMs, sealed, goneAtMs) VALUES (?, ?, NULL, ?)
     ON CONFLICT DO NOTHING`,
  )
  const put = database.prepare(
    `UPDATE client_responses SET sealed = ?
     WHERE hash = ? AND sealed IS NULL AND expiresAtMs > ?`,
  )
  const read = database.prepare('SELECT sealed FROM client_responses WHERE hash = ?')
  const removeOld = expiredRows(database, {
    table: 'client_responses',
    key: 'hash',
    end: 'goneAtMs',
  })
  return {
    expect: ({ hash, expiresAtMs }) =>
      database.write(() => {
        expect.run(hash, expiresAtMs, expiresAtMs + INPUT_ANSWER_TTL_SEC * 1_000)
        removeOld(clock.nowMs())
      }),
    put: ({ hash, nowMs, sealed }) =>
      database.write(() => put.run(sealed, hash, nowMs).changes === 1),
    read: async (hash) => {
      const row = await database.read(() => read.get(hash))
      return row === undefined ? undefined : optionalBytesAt(row, 'sealed')
    },
  }
}
