/** The port UsageSums: all series of an hour are one transaction. */
import type { UsageSums } from '../../../core/ports.ts'
import { SERIES, type UsageSum } from '../../../core/usage/usage-sum.ts'
import type { Database } from '../database/database.ts'
import { intAt, textAt } from '../database/row.ts'
import { inSteps } from '../database/steps.ts'

export function sqliteUsageSums(database: Database): UsageSums {
  const readHead = database.prepare('SELECT closed, rolled FROM usage_head WHERE only = 1')
  const move = {
    closed: database.prepare(
      `INSERT INTO usage_head (only, closed, rolled) VALUES (1, ?, ?)
       ON CONFLICT DO UPDATE SET closed = max(closed, excluded.closed)`,
    ),
    rolled: database.prepare(
      `INSERT INTO usage_head (only, closed, rolled) VALUES (1, ?, ?)
       ON CONFLICT DO UPDATE SET rolled = max(rolled, excluded.rolled)`,
    ),
  }
  const version = database.prepare(
    "SELECT version FROM usage_sums WHERE series = 'skill' AND hour = ?",
  )
  const put = database.prepare(
    'INSERT OR REPLACE INTO usage_sums (series, hour, version, sums) VALUES (?, ?, ?, ?)',
  )
  const read = database.prepare(
    `SELECT hour, sums FROM usage_sums WHERE series = ? AND hour > ? AND hour <= ?
     ORDER BY hour LIMIT 1`,
  )
  const versionOf = (hour: number) => {
    const row = version.get(hour)
    return row === undefined ? 0 : intAt(row, 'version')
  }
  // One hour in a step: those of 10,000 skills or users are some MB of JSON.
  const readSeries: UsageSums['read'] = async ({ from, series, to }) => {
    const found = new Map<number, readonly UsageSum[]>()
    let last = from - 1
    await inSteps(async () => {
      const row = await database.read(() => read.get(series, last, to))
      if (row === undefined) return false
      last = intAt(row, 'hour')
      // They are what `write` put there.
      found.set(last, JSON.parse(textAt(row, 'sums')))
      return true
    })
    return found
  }
  return {
    readHead: async () => {
      const row = await database.read(() => readHead.get())
      if (row === undefined) return undefined
      return { closed: intAt(row, 'closed'), rolled: intAt(row, 'rolled') }
    },
    moveHead: (to) =>
      database.write(() => {
        if ('closed' in to) move.closed.run(to.closed, to.closed)
        else move.rolled.run(to.rolled, to.rolled)
      }),
    version: (hour) => database.read(() => versionOf(hour)),
    write: ({ hour, sums, version: expected }) =>
      database.write(() => {
        if (versionOf(hour) !== expected) return false
        for (const series of SERIES) {
          put.run(series, hour, expected + 1, JSON.stringify(sums[series]))
        }
        return true
      }),
    read: readSeries,
    readSkills: (span) => readSeries({ ...span, series: 'skill' }),
  }
}
