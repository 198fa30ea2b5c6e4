/**
 * The port OutcomeNews: a row for each outcome that was written or changed, in the transaction of that
 * write, until it is taken. Two processes that take at once take the same rows, which does no harm.
 */
import type { OutcomeNews } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { intAt } from '../database/row.ts'
import { outcomeFrom } from '../ledger/outcome-rows.ts'

export function sqliteOutcomeNews(database: Database): OutcomeNews {
  const read = database.prepare(
    `SELECT news.seq, outcomes.* FROM outcome_news AS news
     JOIN outcomes ON outcomes.uid = news.uid AND outcomes.callId = news.callId
     ORDER BY news.seq LIMIT ?`,
  )
  const done = database.prepare('DELETE FROM outcome_news WHERE seq <= ?')
  return {
    read: async (limit) => {
      const rows = await database.read(() => read.all(limit))
      const last = rows.at(-1)
      return {
        outcomes: rows.map(outcomeFrom),
        upTo: last === undefined ? 0 : intAt(last, 'seq'),
      }
    },
    done: (upTo) => database.write(() => void done.run(upTo)),
  }
}
