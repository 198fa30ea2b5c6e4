/**
 * The `dynamodb-streams` tail with its client: all that open-reply-tail.ts loads, behind one import.
 * With several imports a bundle would be cut into more files, and every cold start would open some
 * of them. Only open-reply-tail.ts may import it: other functions must not load the stream's client.
 */

import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { type ClientOptions, reaching } from '../client/client.ts'
import { partitionReads } from '../sessions/replies.ts'
import { AWS_PACE, LOCAL_PACE } from './read-pace.ts'
import { readerSlots } from './reader-slots.ts'
import { streamsTail } from './streams-tail.ts'
import type { OpenTail, TailNeeds } from './tail-types.ts'

export function openStreamsTail(streamArn: string, needs: TailNeeds): OpenTail {
  const { log, reach, store } = needs
  const pace = needs.pace === 'aws' ? AWS_PACE : LOCAL_PACE
  const { readersMax } = pace
  const client = streamsClient(reach ?? {})
  const tail = streamsTail({
    client,
    streamArn,
    clock: store.clock,
    random: Math.random,
    pace,
    reads: (hash) => partitionReads(store, hash),
    slots: readersMax === undefined ? undefined : readerSlots(store, readersMax),
    log,
    onTrouble: (cause) => store.onTrouble(cause),
  })
  return { tail, close: () => client.destroy() }
}

/**
 * The timeouts of the table's client, but one attempt only, since the reader has a back-off of its
 * own and must see at once that it is throttled.
 */
export function streamsClient(options: ClientOptions): DynamoDBStreamsClient {
  return new DynamoDBStreamsClient({ maxAttempts: 1, ...reaching(options) })
}
