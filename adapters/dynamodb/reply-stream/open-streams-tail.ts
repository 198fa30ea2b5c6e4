/**
 * Opens the `dynamodb-streams` tail with its client. open-reply-tail.ts loads this file with one
 * dynamic import: several would split the bundle into more files, which every cold start would
 * open. Only open-reply-tail.ts may import this file, so that other functions never load the
 * stream's client.
 */
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import type { Log } from '../../../core/ports/outside.ts'
import type { ReplyStream } from '../../../core/ports/sessions.ts'
import { type ClientOptions, connectionConfig } from '../client/client.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { makePartitionReads } from '../sessions/replies.ts'
import { AWS_PACE, LOCAL_PACE } from './read-pace.ts'
import { makeReaderSlots } from './reader-slots.ts'
import { makeStreamsTail } from './streams-tail.ts'

export type TailNeeds = {
  readonly store: DynamoStore
  readonly log: Pick<Log, 'note'>
  /** `local` for a store on this machine, which has no limits of AWS. */
  readonly pace: 'aws' | 'local'
  readonly reach?: ClientOptions
}

export type OpenTail = {
  /** Undefined for the `partition` tail, which needs only the store. */
  readonly tail: ReplyStream['tail'] | undefined
  close(): void
}

export function openStreamsTail(streamArn: string, needs: TailNeeds): OpenTail {
  const { log, reach, store } = needs
  const pace = needs.pace === 'aws' ? AWS_PACE : LOCAL_PACE
  const { readersMax } = pace
  const client = streamsClient(reach ?? {})
  const tail = makeStreamsTail({
    client,
    streamArn,
    clock: store.clock,
    random: Math.random,
    pace,
    reads: (hash) => makePartitionReads(store, hash),
    slots: readersMax === undefined ? undefined : makeReaderSlots(store, readersMax),
    log,
    onTrouble: (cause) => store.onTrouble(cause),
  })
  return { tail, close: () => client.destroy() }
}

/**
 * The client of the stream. It makes only one attempt, because the reader has its own back-off and
 * must notice at once that it is throttled.
 */
export function streamsClient(options: ClientOptions): DynamoDBStreamsClient {
  return new DynamoDBStreamsClient({ maxAttempts: 1, ...connectionConfig(options) })
}
