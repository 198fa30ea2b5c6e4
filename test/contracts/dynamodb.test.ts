/**
 * The store contract over DynamoDB: the embedded one, started here on a free port. It
 * also proves that the adapters use the permissions that they declare, all of them and no others, and that
 * the policies of the functions allow what these send.
 */

import { afterAll } from 'vitest'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import { sdkRequests } from '../../adapters/dynamodb/client/sdk-store.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { TABLES, useEmbeddedStore } from '../adapters/dynamodb/embedded-store.ts'
import { STORE_CLIENT } from '../adapters/dynamodb/store-clients.ts'
import { storeRequests } from '../iam/store-requests.ts'
import { permissionRecorder } from './permission-recorder.ts'
import { DECLARED_PREFIXES, describePermissions } from './permissions-contract.ts'
import { describeStorePorts } from './store-contract.ts'
import { testClock } from './test-clock.ts'
import { oldServiceOver } from './v0-service.ts'

const requests = storeRequests()
const recorder = permissionRecorder(
  { [TABLES.gateway]: 'gateway', [TABLES.sessions]: 'sessions' },
  DECLARED_PREFIXES,
  requests.record,
)

const clock = testClock()
const { endpoint, store, watch } = await useEmbeddedStore(clock)
watch(recorder.record)
// Not the recorded client: the earlier service's requests are not ours.
const other = dynamoClient({ endpoint })
afterAll(() => other.destroy())

describeStorePorts(`dynamodb by the ${STORE_CLIENT} client`, async () => {
  const old = oldServiceOver(sdkRequests(other), TABLES.gateway)
  return { clock, old, ...recorder.named(dynamoStorePorts(store)) }
})

describePermissions('dynamodb', recorder)
requests.describePolicies()
// By `npm run test:wide`: both clients send the same requests.
if (STORE_CLIENT === 'sdk') requests.describeGaps()
