import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dynamoClient } from '../../../adapters/dynamodb/client/client.ts'
import { createTables } from '../../../adapters/dynamodb/create-tables.ts'
import { startEmbedded } from '../../../bench/lib/embedded-dynamodb.ts'

let client: DynamoDBClient
let stop: () => Promise<void>

beforeAll(async () => {
  const embedded = await startEmbedded({})
  if ('missing' in embedded) throw new Error(`these tests need it: ${embedded.missing}`)
  client = dynamoClient({ endpoint: embedded.endpoint })
  stop = embedded.stop
})
afterAll(() => stop())

describe('createTables', () => {
  const tables = { gateway: 'dev-Gateway', sessions: 'dev-Sessions' }

  test('creates both usable tables, and changes nothing when it runs again', async () => {
    await Promise.all([createTables(client, tables), createTables(client, tables)])
    await createTables(client, tables)
    for (const TableName of ['dev-Gateway', 'dev-Sessions']) {
      const { Table } = await client.send(new DescribeTableCommand({ TableName }))
      expect(Table?.TableStatus).toBe('ACTIVE')
      expect(Table?.KeySchema).toEqual([
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ])
      const ttl = await client.send(new DescribeTimeToLiveCommand({ TableName }))
      expect(ttl.TimeToLiveDescription).toEqual({
        AttributeName: 'ttl',
        TimeToLiveStatus: 'ENABLED',
      })
    }
  })

  test('gives both tables a stream: of new images, and of old ones too for Gateway', async () => {
    await createTables(client, tables)
    const streams = ['dev-Gateway', 'dev-Sessions'].map(async (TableName) => {
      const { Table } = await client.send(new DescribeTableCommand({ TableName }))
      return Table?.StreamSpecification
    })
    expect(await Promise.all(streams)).toEqual([
      { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    ])
  })

  test('says that the store is unavailable when no server answers', async () => {
    const nobody = dynamoClient({ endpoint: 'http://127.0.0.1:1' })
    await expect(createTables(nobody, tables)).rejects.toMatchObject({ code: 'store_unavailable' })
  })
})
