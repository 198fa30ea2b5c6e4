/** The feed of the ledger: each written entry is reported until it is taken, and no other write is. */
import { expect, test } from 'vitest'
import { openMemoryDatabase } from '../../../adapters/sqlite/database/open-database.ts'
import { sqliteStorePorts } from '../../../adapters/sqlite/store-ports.ts'
import { sqliteLedgerNews } from '../../../adapters/sqlite/usage/ledger-news.ts'
import type { ArchiveEntry } from '../../../core/archive/archive-entry.ts'
import { profileOf, settledOf } from '../../contracts/fresh.ts'
import { testClock } from '../../contracts/test-clock.ts'
import { turnsDuring } from './turns-during.ts'

function opened() {
  const database = openMemoryDatabase()
  const ports = sqliteStorePorts(database, testClock(), () => {})
  return { ...ports, database, news: sqliteLedgerNews(database) }
}

/** Kind and id, with the state of a call. */
function told(entries: readonly ArchiveEntry[]): readonly string[] {
  return entries.map((entry) =>
    entry.kind === 'call'
      ? `${entry.outcome.callId} ${entry.outcome.state}`
      : `${entry.uid} ${entry.grant.grantId} ${entry.grant.amount}`,
  )
}

test('an outcome is told once for its decision and once for its void, as it is now', async () => {
  const { ledger, news, profiles } = opened()
  await profiles.create(profileOf('u-1'))
  await ledger.decide(settledOf('u-1', 'c1', 5))
  await ledger.decide(settledOf('u-1', 'c1', 5))
  await ledger.decide(settledOf('u-1', 'c2', 7))
  const first = await news.read({ limit: 10 })
  expect(told(first.entries)).toEqual(['c1 settled', 'c2 settled'])
  await ledger.voidSettled({ uid: 'u-1', callId: 'c1', reason: 'void', nowMs: 9 })
  await news.done(first.upTo)
  const second = await news.read({ limit: 10 })
  expect(told(second.entries)).toEqual(['c1 refunded'])
  await news.done(second.upTo)
  expect((await news.read({ limit: 10 })).entries).toEqual([])
})

test('a grant and a correction are told once each, and a grant that was repeated or refused is not', async () => {
  const { ledger, news, profiles } = opened()
  await profiles.create(profileOf('u-1'))
  const grant = { uid: 'u-1', creditsMax: 1_000, nowMs: 1 }
  await ledger.grant({ ...grant, grantId: 'g1', amount: 50 })
  await ledger.grant({ ...grant, grantId: 'g1', amount: 50 })
  await ledger.grant({ ...grant, grantId: 'g2', amount: -20, reason: 'twice' })
  await ledger.grant({ ...grant, grantId: 'g3', amount: 5_000 })
  const { entries, upTo } = await news.read({ limit: 10 })
  expect(told(entries)).toEqual(['u-1 g1 50', 'u-1 g2 -20'])
  await news.done(upTo)
  expect((await news.read({ limit: 10 })).entries).toEqual([])
})

test('entries that were not taken are told again, oldest first, between two places and up to the limit', async () => {
  const { ledger, news } = opened()
  for (let call = 0; call < 5; call += 1) await ledger.decide(settledOf('u-1', `c${call}`, 1))
  const two = await news.read({ limit: 2 })
  expect(told(two.entries)).toEqual(['c0 settled', 'c1 settled'])
  expect((await news.read({ limit: 2 })).upTo).toEqual(two.upTo)
  const three = await news.read({ after: two.upTo, limit: 2 })
  expect(told(three.entries)).toEqual(['c2 settled', 'c3 settled'])
  expect((await news.read({ upTo: two.upTo, limit: 9 })).entries).toHaveLength(2)
  await news.done(two.upTo)
  expect(told((await news.read({ limit: 9 })).entries)).toEqual([
    'c2 settled',
    'c3 settled',
    'c4 settled',
  ])
})

test('news that comes after all was taken is behind what was taken', async () => {
  const { ledger, news } = opened()
  for (const callId of ['c1', 'c2']) await ledger.decide(settledOf('u-1', callId, 1))
  const { upTo } = await news.read({ limit: 9 })
  await news.done(upTo)
  await news.done(upTo)
  await ledger.decide(settledOf('u-1', 'c3', 1))
  const later = await news.read({ after: upTo, limit: 9 })
  expect(told(later.entries)).toEqual(['c3 settled'])
  await news.done(later.upTo)
  expect(told((await news.read({ limit: 9 })).entries)).toEqual([])
})

test('only calls that are old and were taken are removed, up to the limit', async () => {
  const { ledger, news } = opened()
  const at = (callId: string, createdAtMs: number) => ({
    ...settledOf('u-1', callId, 1),
    createdAtMs,
  })
  for (const callId of ['c1', 'c2', 'c3']) await ledger.decide(at(callId, 999))
  await ledger.decide(at('c4', 1_000))
  await news.done((await news.read({ limit: 9 })).upTo)
  await ledger.decide(at('c5', 999))
  expect(await news.removeCold({ beforeMs: 1_000, limit: 2 })).toBe(2)
  expect(await news.removeCold({ beforeMs: 1_000, limit: 2 })).toBe(1)
  expect(await news.removeCold({ beforeMs: 1_000, limit: 2 })).toBe(0)
  for (const callId of ['c4', 'c5']) {
    expect(await ledger.find({ uid: 'u-1', callId })).toMatchObject({ callId })
  }
  expect(await ledger.find({ uid: 'u-1', callId: 'c1' })).toBeUndefined()
})

test('calls of a build without an archive are never removed', async () => {
  const { database, ledger, news } = opened()
  await database.write(() => void database.prepare('UPDATE archived_since SET sinceMs = 500').run())
  await ledger.decide({ ...settledOf('u-1', 'c1', 1), createdAtMs: 499 })
  for (const callId of ['c2', 'c3']) {
    await ledger.decide({ ...settledOf('u-1', callId, 1), createdAtMs: 500 })
  }
  await news.done((await news.read({ limit: 9 })).upTo)
  expect(await news.removeCold({ beforeMs: 1_000, limit: 9 })).toBe(1)
  expect(await ledger.find({ uid: 'u-1', callId: 'c1' })).toBeDefined()
})

test('news of 250 calls is read in order, up to its limit, and gives way to other work in between', async () => {
  const { ledger, news } = opened()
  const ids = Array.from({ length: 250 }, (_, call) => `c${String(call).padStart(3, '0')}`)
  await Promise.all(ids.map((id) => ledger.decide(settledOf('u-1', id, 1))))
  const { done: all, turns } = await turnsDuring(() => news.read({ limit: 1_000 }))
  expect(told(all.entries)).toEqual(ids.map((id) => `${id} settled`))
  expect(turns).toBeGreaterThanOrEqual(2)
  const some = await news.read({ limit: 120 })
  expect(told(some.entries)).toEqual(ids.slice(0, 120).map((id) => `${id} settled`))
  const rest = await news.read({ after: some.upTo, limit: 1_000 })
  expect(told(rest.entries)).toEqual(ids.slice(120).map((id) => `${id} settled`))
})
