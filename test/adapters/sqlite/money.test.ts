/** Amounts are whole numbers in the file, exact to the last micro-credit. */
import { expect, test } from 'vitest'
import { CREDITS_MAX } from '../../../core/ledger/amount.ts'
import { holdOf, profileOf, settledOf } from '../../contracts/fresh.ts'
import { freshFile, openFile, portsOver } from './fresh-file.ts'

test('credits at their greatest lose and win a single micro-credit exactly', async () => {
  const database = openFile(freshFile())
  const { ledger, profiles } = portsOver(database)
  await profiles.create(profileOf('u-1', { credits: CREDITS_MAX }))
  await ledger.hold({ uid: 'u-1', callId: '1-a', holdsMax: 32, hold: holdOf(1) })
  expect((await profiles.read('u-1'))?.credits).toBe(99_999_999_999_999)
  await ledger.release({ uid: 'u-1', callId: '1-a', giveBack: true })
  expect((await profiles.read('u-1'))?.credits).toBe(100_000_000_000_000)
  const over = { uid: 'u-1', grantId: 'g', amount: 1, creditsMax: CREDITS_MAX, nowMs: 1 }
  expect(await ledger.grant(over)).toEqual({ kind: 'over_limit' })
})

test('every amount stands in the file as a whole number', async () => {
  const database = openFile(freshFile())
  const { ledger, profiles } = portsOver(database)
  await profiles.create(profileOf('u-1', { credits: 900_001 }))
  await ledger.grant({ uid: 'u-1', grantId: 'g', amount: 7, creditsMax: CREDITS_MAX, nowMs: 1 })
  await ledger.hold({ uid: 'u-1', callId: '1-a', holdsMax: 32, hold: holdOf(300_000) })
  await ledger.decide(settledOf('u-1', '1-a', 300_000))
  const types = database.prepare(
    `SELECT typeof(credits) AS type, credits AS amount FROM profiles
     UNION ALL SELECT typeof(amount), amount FROM holds
     UNION ALL SELECT typeof(amount), amount FROM outcomes
     UNION ALL SELECT typeof(amount), amount FROM grants`,
  )
  expect(types.all().map(({ type, amount }) => [type, amount])).toEqual([
    ['integer', 600_008],
    ['integer', 300_000],
    ['integer', 300_000],
    ['integer', 7],
  ])
})

test('the file itself refuses a fraction, and takes a balance below zero', () => {
  const database = openFile(freshFile())
  database
    .prepare(
      `INSERT INTO profiles (uid, username, tier, credits, placed, createdAtMs, skillsChangedAtMs, moved)
       VALUES ('u-1', 'ada', 'free', 5, 0, 1, 0, 0)`,
    )
    .run()
  const set = database.prepare('UPDATE profiles SET credits = ?')
  expect(set.run(-1).changes).toBe(1)
  expect(() => set.run(0.5)).toThrow('cannot store REAL value in INTEGER column')
})
