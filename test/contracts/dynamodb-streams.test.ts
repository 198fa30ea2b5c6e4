/**
 * The contract of ReplyStream over the `dynamodb-streams` tail: on the embedded DynamoDB, or on the
 * one at STREAMS_TEST_ENDPOINT (DynamoDB Local, LocalStack), in tables of its own. The clock moves
 * only when a test moves it, so the poll that backs up the stream never runs: what arrives came by
 * the stream.
 */
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, expect, test } from 'vitest'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import { startEmbedded } from '../../bench/lib/embedded-dynamodb.ts'
import { freshName } from './fresh.ts'
import { describeReplyStream } from './reply-stream-contract.ts'
import { streamsPorts } from './streams-ports.ts'
import { testClock } from './test-clock.ts'

const troubles: unknown[] = []
const stops: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
})

describeReplyStream('dynamodb-streams', async () => {
  const endpoint = process.env['STREAMS_TEST_ENDPOINT'] ?? (await embedded())
  const client = dynamoClient({ endpoint })
  const tables = { gateway: freshName('Gateway-'), sessions: freshName('Sessions-') }
  stops.push(async () => {
    for (const TableName of Object.values(tables)) {
      await client.send(new DeleteTableCommand({ TableName }))
    }
    client.destroy()
  })
  const onTrouble = (cause: unknown) => troubles.push(cause)
  return streamsPorts({ client, endpoint, tables, clock: testClock(), pace: 'local', onTrouble })
})

test('dynamodb-streams: the tail met no trouble that it had to wait out', () => {
  expect(troubles).toEqual([])
})

async function embedded(): Promise<string> {
  const store = await startEmbedded({})
  if ('missing' in store) throw new Error(`these tests need it: ${store.missing}`)
  stops.push(() => store.stop())
  return store.endpoint
}
