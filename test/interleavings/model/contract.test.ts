/** The store contract over the model of DynamoDB: what the adapters need of it is there and right. */
import { dynamoStore } from '../../../adapters/dynamodb/client/document-store.ts'
import { dynamoStorePorts } from '../../../adapters/dynamodb/store-ports.ts'
import { TABLES } from '../../adapters/dynamodb/embedded-store.ts'
import { describeStorePorts } from '../../contracts/store-contract.ts'
import { testClock } from '../../contracts/test-clock.ts'
import { oldServiceOver } from '../../contracts/v0-service.ts'
import { openModel } from './model.ts'
import { answerOf, clientOver } from './model-client.ts'

describeStorePorts('the model of DynamoDB', async () => {
  const clock = testClock()
  const model = openModel(clock.nowMs)
  const client = clientOver(async (request) => answerOf(model, request))
  const store = dynamoStore({ client, tables: TABLES, clock })
  const old = oldServiceOver(client, TABLES.gateway)
  return { clock, old, ...dynamoStorePorts(store) }
})
