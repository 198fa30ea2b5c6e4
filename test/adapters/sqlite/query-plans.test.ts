/** No statement of a port reads a table from end to end: each finds its rows by a key or an index. */
import { expect, test } from 'vitest'
import type { Database } from '../../../adapters/sqlite/database/database.ts'
import { openMemoryDatabase } from '../../../adapters/sqlite/database/open-database.ts'
import { sqliteStorePorts } from '../../../adapters/sqlite/store-ports.ts'
import { testClock } from '../../contracts/test-clock.ts'

/** One row; the keys of administrators, which are 100 at most; and shared secrets, which are listed whole. */
const MAY_SCAN: readonly string[] = [
  'SCAN tool_list',
  'SCAN shared_secrets',
  'SCAN admin_keys USING INDEX sqlite_autoindex_admin_keys_2',
]

const database = openMemoryDatabase()
const statements = statementsOf(database)

/** What the ports prepare, each once. */
function statementsOf(real: Database): readonly string[] {
  const statements = new Set<string>()
  const watched: Database = {
    ...real,
    prepare: (sql) => {
      statements.add(sql)
      return real.prepare(sql)
    },
  }
  sqliteStorePorts(watched, testClock(), () => {})
  return [...statements]
}

function plan(sql: string): readonly string[] {
  const parameters = Array.from({ length: sql.split('?').length - 1 }, () => null)
  return database
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...parameters)
    .map(({ detail }) => String(detail))
}

function scans(sql: string): readonly string[] {
  return plan(sql).filter(
    (step) => step.startsWith('SCAN') && !MAY_SCAN.includes(step) && !step.includes('CONSTANT'),
  )
}

test('the ports prepare their statements when they are made', () => {
  expect(statements.length).toBeGreaterThan(60)
})

test.each(statements)('the statement reads no whole table: %s', (sql) => {
  expect(scans(sql)).toEqual([])
})

test('no statement sorts: its rows come in the order of a key', () => {
  const sorting = statements.filter((sql) => plan(sql).some((step) => step.includes('B-TREE')))
  expect(sorting).toEqual(SORTED)
})

/** The keys of one user. */
const SORTED = ['SELECT * FROM keys WHERE uid = ? ORDER BY createdAtMs DESC, keyHash']

test('a statement that reads a whole table is detected', () => {
  expect(scans('SELECT * FROM outcomes WHERE amount > ?')).toEqual(['SCAN outcomes'])
})
