/**
 * Ports of streams, of questions to clients and of the catalog, on AWS: a file of its own in the bundle, which a start does
 * not open.
 */
import type { DynamoStore } from '../../adapters/dynamodb/client/document-store.ts'
import { dynamoClientResponses } from '../../adapters/dynamodb/sessions/client-responses.ts'
import { dynamoLeases } from '../../adapters/dynamodb/sessions/leases.ts'
import { dynamoSessions } from '../../adapters/dynamodb/sessions/sessions.ts'
import { dynamoTasks } from '../../adapters/dynamodb/sessions/tasks.ts'
import { dynamoUsageSums } from '../../adapters/dynamodb/usage/usage-sums.ts'

export function rarePorts(store: DynamoStore) {
  return {
    clientResponses: dynamoClientResponses(store),
    leases: dynamoLeases(store),
    sessions: dynamoSessions(store),
    tasks: dynamoTasks(store),
    usageSums: dynamoUsageSums(store),
  }
}
