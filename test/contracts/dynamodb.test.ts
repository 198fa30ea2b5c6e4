/** The store contract over DynamoDB: the embedded one, started here on a free port. */

import { afterAll } from 'vitest'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { embeddedStore } from '../adapters/dynamodb/embedded-store.ts'
import { describeStorePorts } from './store-contract.ts'
import { testClock } from './test-clock.ts'

let stop: (() => Promise<void>) | undefined
afterAll(() => stop?.())

describeStorePorts('dynamodb', async () => {
  const clock = testClock()
  const embedded = await embeddedStore({ clock })
  stop = embedded.stop
  return { clock, ...dynamoStorePorts(embedded.store) }
})
