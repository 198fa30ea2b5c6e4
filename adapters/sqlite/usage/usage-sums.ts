/** The port UsageSums: all series of an hour are one transaction. */
import type { UsageSums } from '../../../core/ports.ts'
import { SERIES, type UsageSum } from '../../../core/usage/usage-sum.ts'
import type { Database } from '../database/database.ts'
import { intAt, textAt } from '../database/row.ts'

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
    'SELECT hour, sums FROM usage_sums WHERE series = ? AND hour BETWEEN ? AND ? ORDER BY hour',
  )
  const versionOf = (hour: number) => {
    const row = version.get(hour)
    return row === undefined ? 0 : intAt(row, 'version')
  }
  const readSeries: UsageSums['read'] = async ({ from, series, to }) => {
    const rows = await database.read(() => read.all(series, from, to))
    // They are what `write` put there.
    return new Map(
      rows.map((row): [number, readonly UsageSum[]] => [
        intAt(row, 'hour'),
        JSON.parse(textAt(row, 'sums')),
      ]),
    )
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
