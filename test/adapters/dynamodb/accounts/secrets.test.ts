/**
 * Writes of secrets that the SDK repeats after a lost answer, and records that something else
 * wrote.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dynamoSecrets } from '../../../../adapters/dynamodb/accounts/secrets.ts'
import { dynamoClient } from '../../../../adapters/dynamodb/client/client.ts'
import {
  type DynamoStore,
  dynamoStore,
} from '../../../../adapters/dynamodb/client/document-store.ts'
import { createTables } from '../../../../adapters/dynamodb/create-tables.ts'
import { secretsKey } from '../../../../adapters/dynamodb/table.ts'
import { startEmbedded } from '../../../../local/store/embedded-dynamodb.ts'
import { freshName, secretOf } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { type LossyProxy, lossyProxy } from '../client/lossy-proxy.ts'
import { TABLES } from '../embedded-store.ts'

const stops: (() => Promise<void> | void)[] = []
let proxy: LossyProxy
let store: DynamoStore

beforeAll(async () => {
  const embedded = await startEmbedded({})
  if ('missing' in embedded) throw new Error(`these tests need it: ${embedded.missing}`)
  stops.push(() => embedded.stop())
  proxy = await lossyProxy(embedded.endpoint)
  stops.push(() => proxy.stop())
  const client = dynamoClient({ endpoint: proxy.endpoint })
  stops.push(() => client.destroy())
  await createTables(client, TABLES)
  store = dynamoStore({ client, tables: TABLES, clock: testClock() })
})
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
})

describe('a lost answer', () => {
  test('to a removal counts as removed', async () => {
    const uid = freshName('u-')
    await dynamoSecrets(store).put(secretOf(uid, 'KEY'))
    const place = { uid, skillId: undefined, name: 'KEY' }
    expect(await losing('TransactWriteItems', () => dynamoSecrets(store).remove(place))).toBe(true)
    expect(await dynamoSecrets(store).list(uid)).toEqual([])
  })

  test('to a put, the first or a later one, stores the secret once', async () => {
    const uid = freshName('u-')
    const secrets = dynamoSecrets(store)
    expect(await losing('TransactWriteItems', () => secrets.put(secretOf(uid, 'A')))).toBe('stored')
    expect(await losing('TransactWriteItems', () => secrets.put(secretOf(uid, 'B')))).toBe('stored')
    expect((await secrets.list(uid)).map(({ name }) => name)).toEqual(['A', 'B'])
  })
})

test('a record that something else changed is a fault, and its value is not in the fault', async () => {
  const uid = freshName('u-')
  const item = {
    ...secretsKey(uid, undefined),
    sealed: { KEY: 'plain-text' },
    updatedAtMs: { KEY: 1 },
  }
  await store.put(TABLES.gateway, { item })
  const finding = dynamoSecrets(store).find({ uid, skillId: 'sg_a', names: ['KEY'] })
  const fault = await finding.catch((cause: unknown) => String(cause))
  expect(fault).toContain('KEY is not bytes')
  expect(fault).not.toContain('plain-text')
})

/** Runs `work` while the next answer to `operation` is lost, and makes sure that it was. */
async function losing<T>(operation: string, work: () => Promise<T>): Promise<T> {
  const before = proxy.lost()
  proxy.loseNext(operation)
  const answer = await work()
  expect(proxy.lost()).toBe(before + 1)
  return answer
}
