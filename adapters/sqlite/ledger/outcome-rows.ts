/** Rows of the table outcomes: how each call ended, in the order of writing. Those that were not taken yet are news (ledger-news.ts). */
import { readFacts, writeFacts } from '../../../core/ledger/call-facts.ts'
import { type Outcome, REFUND_REASONS } from '../../../core/ledger/ledger.ts'
import { SKILL_SOURCES } from '../../../core/skills/skill.ts'
import { countedAt, countedColumn } from '../accounts/budget-columns.ts'
import type { Database } from '../database/database.ts'
import { intAt, optionalIntAt, optionalTextAt, type Row, textAt, wordAt } from '../database/row.ts'

export type OutcomeRows = {
  find(uid: string, callId: string): Outcome | undefined
  /** False when the call has an outcome; that one stays. */
  insert(outcome: Outcome): boolean
  refund(outcome: Outcome): void
}

const STATES = ['settled', 'refunded'] as const

export function outcomeRows(database: Database): OutcomeRows {
  const find = database.prepare('SELECT * FROM outcomes WHERE uid = ? AND callId = ?')
  const insert = database.prepare(
    `INSERT INTO outcomes
       (uid, callId, skillId, source, skillVersion, state, reason, amount, placement,
        createdAtMs, endedAtMs, durationMs, upstreamStatus, counted, facts)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (uid, callId) DO NOTHING`,
  )
  // Moves to the end, where it is news again.
  const refund = database.prepare(
    `UPDATE outcomes SET seq = (SELECT max(seq) FROM outcomes) + 1, state = ?, reason = ?, endedAtMs = ?
     WHERE uid = ? AND callId = ?`,
  )
  return {
    find: (uid, callId) => {
      const row = find.get(uid, callId)
      return row === undefined ? undefined : outcomeFrom(row)
    },
    insert: (outcome) => {
      const { amount, callId, createdAtMs, durationMs, endedAtMs, facts, placement } = outcome
      const { counted, reason = null, skillId, skillVersion, source, state, uid } = outcome
      const { upstreamStatus = null } = outcome
      // Not spread from a list: a call writes one.
      const { changes } = insert.run(
        uid,
        callId,
        skillId,
        source,
        skillVersion,
        state,
        reason,
        amount,
        placement,
        createdAtMs,
        endedAtMs,
        durationMs,
        upstreamStatus,
        countedColumn(counted),
        facts === undefined ? null : writeFacts(facts),
      )
      return changes !== 0
    },
    refund: ({ callId, endedAtMs, reason, state, uid }) =>
      void refund.run(state, reason ?? null, endedAtMs, uid, callId),
  }
}

export function outcomeFrom(row: Row): Outcome {
  const reason = optionalTextAt(row, 'reason')
  const facts = readFacts(optionalTextAt(row, 'facts') ?? '')
  return {
    uid: textAt(row, 'uid'),
    callId: textAt(row, 'callId'),
    skillId: textAt(row, 'skillId'),
    source: wordAt(row, 'source', SKILL_SOURCES),
    skillVersion: intAt(row, 'skillVersion'),
    state: wordAt(row, 'state', STATES),
    reason: reason === undefined ? undefined : wordAt(row, 'reason', REFUND_REASONS),
    amount: intAt(row, 'amount'),
    placement: intAt(row, 'placement'),
    createdAtMs: intAt(row, 'createdAtMs'),
    endedAtMs: intAt(row, 'endedAtMs'),
    durationMs: intAt(row, 'durationMs'),
    upstreamStatus: optionalIntAt(row, 'upstreamStatus'),
    ...(facts === undefined ? {} : { facts }),
    ...countedAt(row),
  }
}
