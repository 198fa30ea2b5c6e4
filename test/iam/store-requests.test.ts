/**
 * The contract suites of the store once more, as every function that uses a method: each request is judged
 * against the synthesized policy of that function. The embedded DynamoDB answers them; it checks no policy.
 */
import { afterAll } from 'vitest'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { DOOR_USES } from '../../lib/door-uses.ts'
import type { Door } from '../../lib/doors.ts'
import { stageNamed } from '../../lib/stages.ts'
import { embeddedStore, TABLES } from '../adapters/dynamodb/embedded-store.ts'
import { permissionRecorder } from '../contracts/permission-recorder.ts'
import { describeStorePorts } from '../contracts/store-contract.ts'
import { testClock } from '../contracts/test-clock.ts'
import { oldServiceOver } from '../contracts/v0-service.ts'
import { dynamoAuthorizations } from './dynamodb-authorizations.ts'
import type { Authorization } from './evaluate.ts'
import { rawPolicies, readPolicies } from './function-policies.ts'
import { describePolicies } from './policies-contract.ts'

const ACCOUNT = { region: 'us-east-1', accountId: '123456789012' }
const arnOf = (table: string) => `arn:aws:dynamodb:us-east-1:123456789012:table/${table}`

const POLICIES = readPolicies(
  rawPolicies(stageNamed('dev'), {
    ...ACCOUNT,
    gatewayTable: arnOf(TABLES.gateway),
    sessionsTable: arnOf(TABLES.sessions),
    sessionsStream: `${arnOf(TABLES.sessions)}/stream/1`,
    userSecretsKey: 'arn:aws:kms:us-east-1:123456789012:key/1',
    adminSecret: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:admin',
    internalSecret: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:internal',
  }),
)

/** `port.method` → its questions to IAM, each once. */
const asked = new Map<string, Map<string, Authorization>>()

const recorder = permissionRecorder({}, [], ({ method, operation, input }) => {
  const known = asked.get(method) ?? new Map<string, Authorization>()
  asked.set(method, known)
  for (const one of dynamoAuthorizations(operation, input, arnOf)) {
    known.set(JSON.stringify(one), one)
  }
})

let stop: (() => Promise<void>) | undefined
afterAll(() => stop?.())

describeStorePorts('for the policies', async () => {
  const clock = testClock()
  const embedded = await embeddedStore({ clock })
  // The requests of the earlier service are not ours.
  const other = dynamoClient({ endpoint: embedded.endpoint })
  stop = async () => {
    other.destroy()
    await embedded.stop()
  }
  recorder.watch(embedded.client)
  const old = oldServiceOver(other, TABLES.gateway)
  return { clock, old, ...recorder.named(dynamoStorePorts(embedded.store)) }
})

const TABLE_ACTION = /^dynamodb:(?!DescribeStream|GetRecords|GetShardIterator|ListStreams)/

describePolicies('requests to the tables', {
  policyOf: (door) =>
    POLICIES[door].filter(({ actions }) => actions.every((action) => TABLE_ACTION.test(action))),
  sentBy: (door) => methodsOf(door).flatMap((method) => [...(asked.get(method)?.values() ?? [])]),
})

function methodsOf(door: Door): readonly string[] {
  return Object.entries<readonly string[]>(DOOR_USES[door]).flatMap(([port, methods]) =>
    methods.map((method) => `${port}.${method}`),
  )
}
