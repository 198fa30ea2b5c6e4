/** News of outcomes: each write of one is told until it is taken, and no other write is. */
import { expect, test } from 'vitest'
import { openMemoryDatabase } from '../../../adapters/sqlite/database/open-database.ts'
import { sqliteStorePorts } from '../../../adapters/sqlite/store-ports.ts'
import { sqliteOutcomeNews } from '../../../adapters/sqlite/usage/outcome-news.ts'
import { profileOf, settledOf } from '../../contracts/fresh.ts'
import { testClock } from '../../contracts/test-clock.ts'

function opened() {
  const database = openMemoryDatabase()
  const ports = sqliteStorePorts(database, testClock(), () => {})
  return { ...ports, news: sqliteOutcomeNews(database) }
}

test('an outcome is reported once for its decision and once for its void, as it is now', async () => {
  const { ledger, news, profiles } = opened()
  await profiles.create(profileOf('u-1'))
  await ledger.decide(settledOf('u-1', 'c1', 5))
  await ledger.decide(settledOf('u-1', 'c1', 5))
  await ledger.decide(settledOf('u-1', 'c2', 7))
  const first = await news.read(10)
  expect(first.outcomes.map(({ callId, state }) => [callId, state])).toEqual([
    ['c1', 'settled'],
    ['c2', 'settled'],
  ])
  await ledger.voidSettled({ uid: 'u-1', callId: 'c1', reason: 'void', nowMs: 9 })
  await news.done(first.upTo)
  const second = await news.read(10)
  expect(second.outcomes).toMatchObject([{ callId: 'c1', state: 'refunded', reason: 'void' }])
  await news.done(second.upTo)
  expect(await news.read(10)).toEqual({ outcomes: [], upTo: 0 })
})

test('outcomes that were not taken are reported again, oldest first, up to the limit', async () => {
  const { ledger, news } = opened()
  for (let call = 0; call < 5; call += 1) await ledger.decide(settledOf('u-1', `c${call}`, 1))
  const two = await news.read(2)
  expect(two.outcomes.map(({ callId }) => callId)).toEqual(['c0', 'c1'])
  expect((await news.read(2)).upTo).toBe(two.upTo)
  await news.done(two.upTo)
  expect((await news.read(9)).outcomes.map(({ callId }) => callId)).toEqual(['c2', 'c3', 'c4'])
})
