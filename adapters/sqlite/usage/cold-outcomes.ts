/**
 * Removes old outcomes in the order of writing, which is that of time but for voids and for calls whose process
 * died. One of these may stay until those beside it are old, too.
 */
import type { LedgerNews } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { intAt } from '../database/row.ts'
import { inSteps, ROWS_PER_STEP } from '../database/steps.ts'

type StepRange = {
  readonly after: number
  readonly rows: number
  /** Calls that began in this time are removed. */
  readonly sinceMs: number
  readonly beforeMs: number
}

type Step = {
  readonly removed: number
  readonly upTo: number
  /** The rows behind it may be old. */
  readonly goesOn: boolean
}

export function coldOutcomes(database: Database): LedgerNews['removeCold'] {
  const archived = database.prepare(
    `SELECT sinceMs, (SELECT staysTo FROM outcomes_taken WHERE only = 1) AS staysTo
     FROM archived_since WHERE only = 1`,
  )
  const taken = database.prepare(
    `SELECT seq, createdAtMs FROM outcomes
     WHERE seq > ? AND seq < (SELECT seq FROM outcomes_taken WHERE only = 1)
     ORDER BY seq LIMIT ?`,
  )
  const remove = database.prepare('DELETE FROM outcomes WHERE seq = ?')
  const removeStep = ({ after, beforeMs, rows, sinceMs }: StepRange): Step => {
    const found = taken.all(after, rows)
    const cold = found.filter((row) => {
      const createdAtMs = intAt(row, 'createdAtMs')
      return createdAtMs >= sinceMs && createdAtMs < beforeMs
    })
    for (const row of cold) remove.get(intAt(row, 'seq'))
    const last = found.at(-1)
    if (last === undefined) return { removed: 0, upTo: after, goesOn: false }
    const goesOn = found.length === rows && intAt(last, 'createdAtMs') < beforeMs
    return { removed: cold.length, upTo: intAt(last, 'seq'), goesOn }
  }
  return async ({ beforeMs, limit }) => {
    let removed = 0
    const first = await database.read(() => archived.get() ?? {})
    const sinceMs = intAt(first, 'sinceMs')
    let after = intAt(first, 'staysTo')
    await inSteps(async () => {
      const rows = Math.min(ROWS_PER_STEP, limit - removed)
      const step = await database.write(() => removeStep({ after, beforeMs, rows, sinceMs }))
      removed += step.removed
      after = step.upTo
      return step.goesOn && removed < limit
    })
    return removed
  }
}
