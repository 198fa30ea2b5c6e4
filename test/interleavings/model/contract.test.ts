/** The store contract over the model of DynamoDB: what the adapters need of it is there and right. */

import { describe } from 'vitest'
import { makeStore } from '../../../adapters/dynamodb/client/document-store.ts'
import { dynamoStorePorts } from '../../../adapters/dynamodb/store-ports.ts'
import { TABLES } from '../../adapters/dynamodb/embedded-store.ts'
import { describeStorePorts } from '../../contracts/store-contract.ts'
import { testClock } from '../../contracts/test-clock.ts'
import { oldServiceOver } from '../../contracts/v0-service.ts'
import { openModel } from './model.ts'
import { answerOf, requestsOver } from './model-client.ts'

describe.each([0, 1])('seed %i', (seed) => {
  describeStorePorts(
    `the model of DynamoDB, by the ${seed === 0 ? 'SDK' : 'signed'} client`,
    async () => {
      const clock = testClock()
      const model = openModel(clock.nowMs)
      const requests = requestsOver(async (request) => answerOf(model, request), seed)
      const store = makeStore(requests, { tables: TABLES, clock })
      const old = oldServiceOver(requests, TABLES.gateway)
      return { clock, old, ...dynamoStorePorts(store) }
    },
  )
})
