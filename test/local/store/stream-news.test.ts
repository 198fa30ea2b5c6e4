/** News of the ledger by the stream of the emulator, for a twin on DynamoDB. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StreamSpecification } from '@aws-sdk/client-dynamodb'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { dynamoClient } from '../../../adapters/dynamodb/client/client.ts'
import type { ArchiveEntry } from '../../../core/archive/archive-entry.ts'
import type { LedgerNews } from '../../../core/ports.ts'
import { openDynamoStore } from '../../../local/store/dynamo-store.ts'
import { startEmbedded } from '../../../local/store/embedded-dynamodb.ts'
import { readPlace } from '../../../local/store/news-place.ts'
import { tidyStream } from '../../../local/store/stream-history.ts'
import { profileOf, settledOf } from '../../contracts/fresh.ts'
import { testClock } from '../../contracts/test-clock.ts'
import { createTable } from './create-table.ts'

let folder = ''
let noted: string[] = []
const stops: (() => unknown)[] = []
const clock = testClock()
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-news-'))
  noted = []
})
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
  rmSync(folder, { recursive: true, force: true })
})

async function emulator(): Promise<string> {
  const embedded = await startEmbedded({ dbPath: join(folder, 'dynamodb.sqlite') })
  if ('missing' in embedded) throw new Error(`this test needs it: ${embedded.missing}`)
  stops.push(embedded.stop)
  return embedded.endpoint
}

async function opened(endpoint: string) {
  const log = { note: (_level: string, event: string) => void noted.push(event) }
  const placeFile = join(folder, 'archived.json')
  const store = await openDynamoStore({ endpoint, replyTail: 'partition', placeFile, clock, log })
  stops.push(store.close)
  const { ledgerNews } = store
  if (ledgerNews === undefined) throw new Error('the table has a stream')
  return { ...store.ports, news: ledgerNews, placeFile }
}

/** Kind and id, with the state of a call. */
function told(entries: readonly ArchiveEntry[]): readonly string[] {
  return entries.map((entry) =>
    entry.kind === 'call'
      ? `${entry.outcome.callId} ${entry.outcome.state}`
      : `${entry.uid} ${entry.grant.grantId} ${entry.grant.amount}`,
  )
}

async function all(news: LedgerNews): Promise<readonly string[]> {
  return told((await news.read({ limit: 100 })).entries)
}

test('calls, voids and grants are told in their order, from the first write to the table on', async () => {
  const { ledger, news, profiles } = await opened(await emulator())
  await profiles.create(profileOf('u-1'))
  await ledger.decide(settledOf('u-1', 'c1', 5))
  await ledger.decide(settledOf('u-1', 'c1', 5))
  expect(await all(news)).toEqual(['c1 settled'])
  await ledger.voidSettled({ uid: 'u-1', callId: 'c1', reason: 'void', nowMs: 9 })
  await ledger.grant({ uid: 'u-1', creditsMax: 1_000, nowMs: 1, grantId: 'g1', amount: 50 })
  expect(await all(news)).toEqual(['c1 settled', 'c1 refunded', 'u-1 g1 50'])
  expect(noted).toEqual([])
})

test('entries come up to the limit, behind a place and up to one, until they are done', async () => {
  const { ledger, news } = await opened(await emulator())
  for (let call = 0; call < 5; call += 1) await ledger.decide(settledOf('u-1', `c${call}`, 1))
  const two = await news.read({ limit: 2 })
  expect(told(two.entries)).toEqual(['c0 settled', 'c1 settled'])
  const next = await news.read({ after: two.upTo, limit: 2 })
  expect(told(next.entries)).toEqual(['c2 settled', 'c3 settled'])
  expect(told((await news.read({ upTo: two.upTo, limit: 10 })).entries)).toEqual(told(two.entries))
  await news.done(next.upTo)
  expect(await all(news)).toEqual(['c4 settled'])
})

test('a new process is told again what was not done, and nothing that was, though the stream was tidied', async () => {
  const endpoint = await emulator()
  const first = await opened(endpoint)
  await first.ledger.decide(settledOf('u-1', 'c1', 1))
  const { upTo } = await first.news.read({ limit: 10 })
  await first.news.done(upTo)
  await first.ledger.decide(settledOf('u-1', 'c2', 1))
  await first.news.read({ limit: 10 })
  await first.ledger.decide(settledOf('u-1', 'c3', 1))
  tidyStream(join(folder, 'dynamodb.sqlite'), readPlace(first.placeFile)?.seen)
  const second = await opened(endpoint)
  expect(await all(second.news)).toEqual(['c2 settled', 'c3 settled'])
  await second.ledger.decide(settledOf('u-1', 'c4', 1))
  expect(await all(second.news)).toEqual(['c2 settled', 'c3 settled', 'c4 settled'])
  expect(noted).toEqual([])
})

test('records of other kinds move the kept place once a minute', async () => {
  const { news, placeFile, profiles } = await opened(await emulator())
  await profiles.create(profileOf('u-1'))
  await news.read({ limit: 10 })
  expect(readPlace(placeFile)).toBe(undefined)
  clock.advance(60_000)
  await news.read({ limit: 10 })
  expect([...(readPlace(placeFile)?.seen.values() ?? [])]).toEqual([expect.any(String)])
})

test('an entry that cannot be read is named in the log, and those around it are told', async () => {
  const endpoint = await emulator()
  const { ledger, news } = await opened(endpoint)
  await ledger.decide(settledOf('u-1', 'c1', 1))
  const client = dynamoClient({ endpoint })
  const Item = { pk: 'ledger:u-1', sk: 'broken', state: 'settled' }
  await client.send(new PutCommand({ TableName: 'Gateway', Item }))
  client.destroy()
  await ledger.decide(settledOf('u-1', 'c2', 1))
  expect(await all(news)).toEqual(['c1 settled', 'c2 settled'])
  expect(noted).toEqual(['usage-unreadable'])
})

test('a store that does not answer is noted, and the entries come with a later read', async () => {
  const embedded = await startEmbedded({ dbPath: join(folder, 'dynamodb.sqlite') })
  if ('missing' in embedded) throw new Error(`this test needs it: ${embedded.missing}`)
  const { ledger, news } = await opened(embedded.endpoint)
  await ledger.decide(settledOf('u-1', 'c1', 1))
  await embedded.stop()
  expect(await all(news)).toEqual([])
  expect(noted).toContain('store-trouble')
  const port = Number(new URL(embedded.endpoint).port)
  const again = await startEmbedded({ dbPath: join(folder, 'dynamodb.sqlite'), port })
  if ('missing' in again) throw new Error(`this test needs it: ${again.missing}`)
  stops.push(again.stop)
  clock.advance(10_000)
  await news.read({ limit: 10 })
  expect(await all(news)).toEqual(['c1 settled'])
})

test.each<StreamSpecification | undefined>([
  undefined,
  { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
])(
  'a Gateway table with the stream %j has no news, and the note says what is missing',
  async (stream) => {
    const endpoint = await emulator()
    const client = dynamoClient({ endpoint })
    await createTable(client, 'Gateway', stream)
    const log = { note: () => {} }
    const store = await openDynamoStore({ endpoint, replyTail: 'partition', clock, log })
    stops.push(store.close)
    expect(store.ledgerNews).toBe(undefined)
    expect(store.note).toBe(
      'Calls: no lists, sums and archive, as the table Gateway has no stream with new images.',
    )
  },
)
