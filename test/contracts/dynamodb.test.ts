/**
 * The store contract over DynamoDB: the embedded one, started here on a free port; and that the
 * adapters touched what they say while it ran.
 */

import { afterAll } from 'vitest'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { embeddedStore, TABLES } from '../adapters/dynamodb/embedded-store.ts'
import { describeStorePorts } from './store-contract.ts'
import { testClock } from './test-clock.ts'
import { touchRecorder } from './touch-recorder.ts'
import { DECLARED_PREFIXES, describeTouches } from './touches-contract.ts'

const recorder = touchRecorder(
  { [TABLES.gateway]: 'gateway', [TABLES.sessions]: 'sessions' },
  DECLARED_PREFIXES,
)

let stop: (() => Promise<void>) | undefined
afterAll(() => stop?.())

describeStorePorts('dynamodb', async () => {
  const clock = testClock()
  const embedded = await embeddedStore({ clock })
  stop = embedded.stop
  recorder.watch(embedded.client)
  return { clock, ...recorder.named(dynamoStorePorts(embedded.store)) }
})

describeTouches('dynamodb', recorder)
