/**
 * Streams on a clock that moves only when every party sleeps, over an embedded DynamoDB, each with
 * the measured tail. Requests of tails are counted apart from the sessions' own writes.
 */
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import type { ConsumedUnits } from '../../adapters/dynamodb/client/connection.ts'
import type { DynamoStore } from '../../adapters/dynamodb/client/document-store.ts'
import { dynamoStore } from '../../adapters/dynamodb/client/sdk-store.ts'
import { createTables } from '../../adapters/dynamodb/create-tables.ts'
import { streamsClient } from '../../adapters/dynamodb/reply-stream/open-streams-tail.ts'
import type { ReadPace } from '../../adapters/dynamodb/reply-stream/read-pace.ts'
import { streamsTail } from '../../adapters/dynamodb/reply-stream/streams-tail.ts'
import { dynamoReplies, partitionReads } from '../../adapters/dynamodb/sessions/replies.ts'
import { dynamoSessions } from '../../adapters/dynamodb/sessions/sessions.ts'
import type { ReplyStream } from '../../core/ports.ts'
import { discreteClock } from '../lib/discrete-clock.ts'
import { startEmbedded } from '../lib/embedded-dynamodb.ts'
import { openAgent, type TailAgent } from './agent.ts'

const TABLES = { gateway: 'Gateway', sessions: 'Sessions' }

const FOREVER_MS = 1e12

/** Requests to the table and their read units, and requests to the table's stream. */
export type StoreRequests = { table: number; units: number; stream: number }

export type TailWorld = {
  readonly requests: StoreRequests
  /**
   * Every agent lives by the script; resolves when the first has ended it. They sleep on till
   * `stop`.
   */
  run(script: (agent: TailAgent, isFirst: boolean) => Promise<void>): Promise<void>
  stop(): Promise<void>
}

/** Without a pace it is the `partition` tail. */
export async function openTailWorld(
  pace: ReadPace | undefined,
  streams: number,
): Promise<TailWorld> {
  const embedded = await startEmbedded({})
  if ('missing' in embedded) throw new Error(`the bench needs it: ${embedded.missing}`)
  const reach = { endpoint: embedded.endpoint }
  const client = dynamoClient(reach)
  await createTables(client, TABLES)
  const { Table } = await client.send(new DescribeTableCommand({ TableName: TABLES.sessions }))
  const requests: StoreRequests = { table: 0, units: 0, stream: 0 }
  const reader = countedClient(reach, requests)
  // Each stream has a tail and an agent; the stream of the table has one reader.
  const clock = discreteClock(2 * streams + (pace === undefined ? 0 : 1))
  const storeWith = (onConsumed: (one: ConsumedUnits) => void) =>
    dynamoStore({ client, tables: TABLES, clock, onConsumed, onTrouble: fail })
  const own = storeWith(() => {})
  const counted = storeWith(({ units }) => {
    requests.table += 1
    requests.units += units
  })
  const streamArn = Table?.LatestStreamArn ?? ''
  const fromStream = pace && tailAt(pace, counted, { client: reader, streamArn })
  const over = new AbortController()
  const { append } = dynamoReplies(own)
  const { tail } = dynamoReplies(counted, fromStream)
  const ports = { clock, sessions: dynamoSessions(own), append, tail }
  const hashes = Array.from({ length: streams }, (_, index) => `stream-${index}`)
  const agents = await Promise.all(hashes.map((hash) => openAgent(ports, hash, over.signal)))
  const lives: Promise<void>[] = []
  const run = (script: (agent: TailAgent, isFirst: boolean) => Promise<void>) => {
    const scripts = agents.map((agent, index) => script(agent, index === 0))
    // The clock moves only when all sleep, those who have nothing left to do too.
    lives.push(...scripts.map((one) => one.then(() => clock.sleep(FOREVER_MS, over.signal))))
    return scripts[0] ?? Promise.resolve()
  }
  const stop = async () => {
    over.abort()
    await Promise.all([...lives, ...agents.map(({ ended }) => ended)])
    reader.destroy()
    client.destroy()
    await embedded.stop()
  }
  return { requests, run, stop }
}

function countedClient(
  reach: { endpoint: string },
  requests: StoreRequests,
): DynamoDBStreamsClient {
  const client = streamsClient(reach)
  client.middlewareStack.add(
    (next) => (args) => {
      requests.stream += 1
      return next(args)
    },
    { step: 'initialize' },
  )
  return client
}

function tailAt(
  pace: ReadPace,
  store: DynamoStore,
  stream: { readonly client: DynamoDBStreamsClient; readonly streamArn: string },
): ReplyStream['tail'] {
  return streamsTail({
    ...stream,
    clock: store.clock,
    random: () => 0,
    pace,
    reads: (hash) => partitionReads(store, hash),
    slots: undefined,
    log: { note: (_level, event) => fail(event) },
    onTrouble: fail,
  })
}

/** Throws on warnings, so that a failure is never measured. */
function fail(cause: unknown): never {
  throw new Error('unexpected trouble', { cause })
}
