/**
 * The adapters' contract suites over the emulator, in addition to those of test/contracts over the
 * embedded store: every store port, the tail over a DynamoDB Stream, the administrators' secrets,
 * the seals of users' secrets. The store ports ask AWS's DynamoDB Local itself where run.ts says
 * where it is: LocalStack before it adds nothing to its answers, and takes most of the time.
 */
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { CreateKeyCommand, KMS, ScheduleKeyDeletionCommand } from '@aws-sdk/client-kms'
import { afterAll, describe } from 'vitest'
import { makeStore } from '../../adapters/dynamodb/client/document-store.ts'
import { sdkRequests } from '../../adapters/dynamodb/client/sdk-store.ts'
import { signedRequests } from '../../adapters/dynamodb/client/signed/signed-requests.ts'
import { createTables } from '../../adapters/dynamodb/create-tables.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { makeKmsSecretSeals } from '../../adapters/kms/kms-seals.ts'
import { madeSecrets } from '../adapters/secrets/made-secrets.ts'
import { describeAdminSecrets } from '../contracts/admin-secrets-contract.ts'
import { freshName } from '../contracts/fresh.ts'
import { describeReplyStream } from '../contracts/reply-stream-contract.ts'
import { describeSecretSeals } from '../contracts/secret-seals-contract.ts'
import { describeStorePorts } from '../contracts/store-contract.ts'
import { streamsPorts } from '../contracts/streams-ports.ts'
import { testClock } from '../contracts/test-clock.ts'
import { oldServiceOver } from '../contracts/v0-service.ts'
import { emulatorOfProcess } from './emulator.ts'

const emulator = await emulatorOfProcess()
const { endpoint } = emulator
// The suites send hundreds of requests at once, which an emulator answers one by one: longer
// timeouts than the adapters' clients have with AWS, and few connections, so that parallel tests
// are served too.
const PATIENCE_MS = 20_000
const SOCKETS_MAX = 16
const requestHandler = {
  connectionTimeout: PATIENCE_MS,
  requestTimeout: PATIENCE_MS,
  httpAgent: { maxSockets: SOCKETS_MAX },
}
const client = new DynamoDBClient({ endpoint, requestHandler })
const storeEndpoint = process.env['EMULATOR_DYNAMODB_URL'] ?? endpoint
const storeClient = new DynamoDBClient({ endpoint: storeEndpoint, requestHandler })
const kms = new KMS({ endpoint, requestHandler })
const secrets = madeSecrets()
const made: { readonly by: DynamoDBClient; readonly TableName: string }[] = []
const madeKeys: string[] = []

afterAll(async () => {
  for (const { by, TableName } of made) await by.send(new DeleteTableCommand({ TableName }))
  client.destroy()
  storeClient.destroy()
  for (const KeyId of madeKeys) {
    await kms.send(new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: 7 }))
  }
  kms.destroy()
  await secrets.clean()
})

function freshTables(by: DynamoDBClient): { gateway: string; sessions: string } {
  const tables = { gateway: freshName('Gateway-'), sessions: freshName('Sessions-') }
  made.push({ by, TableName: tables.gateway }, { by, TableName: tables.sessions })
  return tables
}

/** Its ARN. */
async function freshKey(): Promise<string> {
  const { KeyMetadata } = await kms.send(new CreateKeyCommand({ Description: 'secret seals' }))
  const keyId = KeyMetadata?.Arn ?? ''
  madeKeys.push(keyId)
  return keyId
}

const credentials = await client.config.credentials()
const light = signedRequests({
  endpoint: new URL(storeEndpoint),
  region: await client.config.region(),
  credentials: () => credentials,
  requestTimeoutMs: PATIENCE_MS,
})
afterAll(() => light.close())

// Over an emulator, npm run test:wide runs the light client, and npm run test:long the SDK's.
describe('by the light client', () => {
  describeStorePorts(emulator.name, async () => {
    const clock = testClock()
    const tables = freshTables(storeClient)
    await createTables(storeClient, tables)
    const old = oldServiceOver(sdkRequests(storeClient), tables.gateway)
    return { clock, old, ...dynamoStorePorts(makeStore(light, { tables, clock })) }
  })
})

describeReplyStream(`${emulator.name}: the tail over a stream`, () =>
  streamsPorts({
    client,
    endpoint,
    tables: freshTables(client),
    clock: testClock(),
    pace: 'local',
  }),
)

describeAdminSecrets(emulator.name, secrets.make)

describeSecretSeals(emulator.name, async () => ({
  seals: makeKmsSecretSeals({ keyId: await freshKey(), client: kms }),
  elsewhere: makeKmsSecretSeals({ keyId: await freshKey(), client: kms }),
}))
