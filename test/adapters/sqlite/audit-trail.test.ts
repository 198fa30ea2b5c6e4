/** The trail of changes in SQLite: what its contract, which all stores share, does not say. */
import { expect, test } from 'vitest'
import { openMemoryDatabase } from '../../../adapters/sqlite/database/open-database.ts'
import { sqliteAuditTrail } from '../../../adapters/sqlite/evidence/audit-trail.ts'
import { testClock } from '../../contracts/test-clock.ts'
import { turnsDuring } from './turns-during.ts'

/** Each change has an intent and an outcome; outcomes of the first half come after all intents. */
const MANY_RECORDS = `
  WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 250)
  INSERT INTO audit_records (day, intent, kind, seq, prev, text, hash, link, expiresAtMs)
  SELECT '2033-05-18', n, 'intent', n, '', '{}', '', NULL, 9000000000000000 FROM number
  UNION ALL SELECT '2033-05-18', n, 'outcome', 250 + n, '', '{}', '', NULL, 9000000000000000 FROM number`

test('a day of 500 records is read in steps, in the order of their numbers', async () => {
  const database = openMemoryDatabase()
  await database.write(() => void database.prepare(MANY_RECORDS).run())
  const trail = sqliteAuditTrail(database, testClock())
  const { done: records, turns } = await turnsDuring(() => trail.day('2033-05-18'))
  expect(turns).toBeGreaterThanOrEqual(4)
  expect(records.map(({ seq }) => seq)).toEqual(Array.from({ length: 500 }, (_, at) => at + 1))
})
