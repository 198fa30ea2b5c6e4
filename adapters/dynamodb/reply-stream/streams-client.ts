/**
 * The client of a table's stream: the same patience as the table's own, and one try only, since the
 * reader has a back-off of its own and must see at once that it is throttled. Only files that are
 * loaded when the stream is asked for may import it: a function without it must not read it.
 */
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { type ClientOptions, reaching } from '../client/client.ts'

export function streamsClient(options: ClientOptions): DynamoDBStreamsClient {
  return new DynamoDBStreamsClient({ maxAttempts: 1, ...reaching(options) })
}
