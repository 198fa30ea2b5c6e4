/**
 * The client of a table's stream: the timeouts of the table's client, but one attempt only, since
 * the reader has a back-off of its own and must see at once that it is throttled. Only files that
 * load with the stream's tail may import it: other functions must not load it.
 */
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { type ClientOptions, reaching } from '../client/client.ts'

export function streamsClient(options: ClientOptions): DynamoDBStreamsClient {
  return new DynamoDBStreamsClient({ maxAttempts: 1, ...reaching(options) })
}
