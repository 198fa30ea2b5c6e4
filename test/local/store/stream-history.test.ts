import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { GetRecordsCommand, GetShardIteratorCommand } from '@aws-sdk/client-dynamodb-streams'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { dynamoClient } from '../../../adapters/dynamodb/client/client.ts'
import { createTables } from '../../../adapters/dynamodb/create-tables.ts'
import { listShards } from '../../../adapters/dynamodb/reply-stream/list-shards.ts'
import { streamsClient } from '../../../adapters/dynamodb/reply-stream/open-streams-tail.ts'
import { startEmbedded } from '../../../local/store/embedded-dynamodb.ts'
import { tidyStream } from '../../../local/store/stream-history.ts'

let folder = ''
let file = ''
const stops: (() => unknown)[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-stream-'))
  file = join(folder, 'dynamodb.sqlite')
})
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
  rmSync(folder, { recursive: true, force: true })
})

async function opened() {
  const embedded = await startEmbedded({ dbPath: file })
  if ('missing' in embedded) throw new Error(`this test needs it: ${embedded.missing}`)
  const reach = { endpoint: embedded.endpoint }
  const [client, streams] = [dynamoClient(reach), streamsClient(reach)]
  stops.push(
    embedded.stop,
    () => client.destroy(),
    () => streams.destroy(),
  )
  await createTables(client, { gateway: 'Gateway', sessions: 'Sessions' })
  const { Table } = await client.send(new DescribeTableCommand({ TableName: 'Sessions' }))
  const StreamArn = Table?.LatestStreamArn ?? ''
  const [shard] = await listShards(streams, StreamArn, new AbortController().signal)
  const latest = async () => {
    const at = { StreamArn, ShardId: shard?.id ?? '', ShardIteratorType: 'LATEST' } as const
    return (await streams.send(new GetShardIteratorCommand(at))).ShardIterator ?? ''
  }
  return {
    latest,
    write: (sk: string) =>
      client.send(new PutCommand({ TableName: 'Sessions', Item: { pk: 'session:a', sk } })),
    read: async (ShardIterator: string) => {
      const { Records } = await streams.send(new GetRecordsCommand({ ShardIterator }))
      return (Records ?? []).map(({ dynamodb }) => dynamodb?.Keys?.['sk']?.S)
    },
  }
}

function look(sql: string): readonly unknown[] {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => Object.values(row)[0])
  } finally {
    db.close()
  }
}

test('old stream records are removed but the newest one, and the items stay', async () => {
  const store = await opened()
  for (let write = 0; write < 20; write += 1) await store.write(`reply#${write}`)
  tidyStream(file)
  expect(look('SELECT sequence_number FROM _stream_records')).toEqual(['20'])
  expect(look('SELECT COUNT(*) FROM Sessions')).toEqual([20])
})

test('a reader of the stream misses nothing meanwhile: numbers go on from the last one', async () => {
  const store = await opened()
  for (let write = 0; write < 20; write += 1) await store.write(`reply#${write}`)
  const before = await store.latest()
  tidyStream(file)
  await store.write('after')
  expect(await store.read(before)).toEqual(['after'])
  expect(await store.read(await store.latest())).toEqual([])
})

test('reads and writes of the stream find their place by an index', async () => {
  await opened()
  tidyStream(file)
  tidyStream(file)
  const write =
    'SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = 1'
  const read =
    'SELECT new_image FROM _stream_records WHERE table_name = 1 AND shard_id = 1 AND CAST(sequence_number AS INTEGER) > 1 ORDER BY CAST(sequence_number AS INTEGER) LIMIT 1'
  for (const sql of [write, read]) {
    const db = new DatabaseSync(file, { readOnly: true })
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
    db.close()
    expect(plan).toMatchObject([{ detail: expect.stringContaining('INDEX skillgate_stream_') }])
  }
})

test('a store that keeps its stream in another way is left alone', () => {
  const db = new DatabaseSync(file)
  db.exec('CREATE TABLE other (id INTEGER)')
  db.close()
  tidyStream(file)
  expect(look("SELECT name FROM sqlite_master WHERE type = 'index'")).toEqual([])
})
