/**
 * The port IdempotencyRecords. Of two claimers the second finds the first one's row; a kept answer is there whole or
 * not at all. After a loss of power a kept answer may be back at `not-yet`, as after a crash before it was
 * kept: the ledger's outcome of the call still counts.
 */
import {
  ANSWER_TTL_SEC,
  type AnswerClaim,
  type StoredAnswer,
} from '../../../core/call/idempotency.ts'
import type { Clock, IdempotencyRecords } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { expiredRows } from '../database/expired-rows.ts'
import { bytesAt, intAt, type Row, textAt, wordAt } from '../database/row.ts'

const STATES = ['not-yet', 'too_large', 'kept'] as const

export function sqliteIdempotencyRecords(
  database: Database,
  clock: Pick<Clock, 'nowMs'>,
): IdempotencyRecords {
  const find = database.prepare('SELECT * FROM idempotency_records WHERE id = ?')
  const put = database.prepare(
    `INSERT OR REPLACE INTO idempotency_records
       (id, bodyHash, keyHash, uid, callId, writeToken, claimedAtMs, state, sealed, expiresAtMs)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'not-yet', NULL, ?)`,
  )
  const keep = database.prepare(
    `UPDATE idempotency_records SET state = ?, sealed = ?
     WHERE id = ? AND writeToken = ? AND state = 'not-yet'`,
  )
  const drop = database.prepare(
    `DELETE FROM idempotency_records WHERE id = ? AND writeToken = ? AND state = 'not-yet'`,
  )
  const removeOld = expiredRows(database, {
    table: 'idempotency_records',
    key: 'rowid',
    end: 'expiresAtMs',
  })
  const standingAt = (id: string, atMs: number) => {
    const row = find.get(id)
    return row !== undefined && intAt(row, 'expiresAtMs') > atMs ? row : undefined
  }
  return {
    claim: (claim) =>
      database.write(() => {
        const standing = standingAt(claim.id, claim.claimedAtMs)
        if (standing === undefined) {
          put.run(...columnsOf(claim))
          removeOld(clock.nowMs())
          return { kind: 'claimed' }
        }
        const answer = answerFrom(standing)
        const isOurs = answer.writeToken === claim.writeToken && answer.kept === 'not-yet'
        return isOurs ? { kind: 'claimed' } : { kind: 'standing', answer }
      }),
    keep: ({ id, writeToken, sealed }) =>
      database.write(() => {
        if (sealed === 'too_large') keep.run('too_large', null, id, writeToken)
        else keep.run('kept', sealed, id, writeToken)
      }),
    drop: ({ id, writeToken }) => database.write(() => void drop.run(id, writeToken)),
  }
}

/** In the order of the statement. */
function columnsOf(claim: AnswerClaim): (string | number)[] {
  const { bodyHash, callId, claimedAtMs, id, keyHash, writeToken, uid } = claim
  const expiresAtMs = claimedAtMs + ANSWER_TTL_SEC * 1_000
  return [id, bodyHash, keyHash, uid, callId, writeToken, claimedAtMs, expiresAtMs]
}

function answerFrom(row: Row): StoredAnswer {
  const state = wordAt(row, 'state', STATES)
  return {
    id: textAt(row, 'id'),
    bodyHash: textAt(row, 'bodyHash'),
    keyHash: textAt(row, 'keyHash'),
    uid: textAt(row, 'uid'),
    callId: textAt(row, 'callId'),
    writeToken: textAt(row, 'writeToken'),
    claimedAtMs: intAt(row, 'claimedAtMs'),
    kept: state === 'kept' ? bytesAt(row, 'sealed') : state,
  }
}
