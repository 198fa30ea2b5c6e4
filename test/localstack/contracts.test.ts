/**
 * The adapters' contract suites over the emulator, beside those of test/contracts over the embedded store:
 * every store port, the tail over a DynamoDB Stream, the administrators' secrets.
 */
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll } from 'vitest'
import { createTables } from '../../adapters/dynamodb/create-tables.ts'
import { dynamoStore } from '../../adapters/dynamodb/store.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { madeSecrets } from '../adapters/secrets/made-secrets.ts'
import { describeAdminSecrets } from '../contracts/admin-secrets-contract.ts'
import { freshName } from '../contracts/fresh.ts'
import { describeReplyStream } from '../contracts/reply-stream-contract.ts'
import { describeStorePorts } from '../contracts/store-contract.ts'
import { streamsPorts } from '../contracts/streams-ports.ts'
import { testClock } from '../contracts/test-clock.ts'
import { emulatorOfProcess } from './emulator.ts'

const emulator = await emulatorOfProcess()
const { endpoint } = emulator
// The suites ask hundreds of things at once, which an emulator answers one by one: more patience than
// adapters/dynamodb/client.ts has with AWS, and few connections, so that the tests beside are served too.
const PATIENCE_MS = 20_000
const SOCKETS_MAX = 16
const requestHandler = {
  connectionTimeout: PATIENCE_MS,
  requestTimeout: PATIENCE_MS,
  httpAgent: { maxSockets: SOCKETS_MAX },
}
const client = new DynamoDBClient({ endpoint, requestHandler })
const secrets = madeSecrets()
const made: string[] = []

afterAll(async () => {
  for (const TableName of made) await client.send(new DeleteTableCommand({ TableName }))
  client.destroy()
  await secrets.clean()
})

function freshTables(): { gateway: string; sessions: string } {
  const tables = { gateway: freshName('Gateway-'), sessions: freshName('Sessions-') }
  made.push(tables.gateway, tables.sessions)
  return tables
}

describeStorePorts(emulator.name, async () => {
  const clock = testClock()
  const tables = freshTables()
  await createTables(client, tables)
  return { clock, ...dynamoStorePorts(dynamoStore({ client, tables, clock })) }
})

describeReplyStream(`${emulator.name}: the tail over a stream`, () =>
  streamsPorts({ client, endpoint, tables: freshTables(), clock: testClock(), pace: 'local' }),
)

describeAdminSecrets(emulator.name, secrets.make)
