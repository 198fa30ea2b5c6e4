/**
 * The store ports over any DynamoDB endpoint, its tables made where they are missing, and the tail that
 * was asked for. The tails differ only in how they find replies.
 */
import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { dynamoClient, isLoopback } from '../../adapters/dynamodb/client/client.ts'
import { dynamoStore } from '../../adapters/dynamodb/client/document-store.ts'
import { createTables } from '../../adapters/dynamodb/create-tables.ts'
import { openReplyTail } from '../../adapters/dynamodb/reply-stream/open-reply-tail.ts'
import type { ReplyTail } from '../../adapters/dynamodb/reply-stream/tail-types.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { GATEWAY_TABLE, SESSIONS_TABLE } from '../../adapters/dynamodb/table.ts'
import type { Clock, Log, StorePorts } from '../../core/ports.ts'

export type DynamoStoreOptions = {
  readonly endpoint: string
  /** Where the endpoint is behind a socket of the file system. */
  readonly socketPath?: string
  readonly replyTail: ReplyTail['kind']
  readonly hotMs?: number
  readonly clock: Clock
  readonly log: Pick<Log, 'note'>
}

export async function openDynamoStore(options: DynamoStoreOptions): Promise<{
  readonly ports: StorePorts
  /** A note for the person when the tail is not the one that was asked for. */
  readonly note: string | undefined
  close(): void
}> {
  const { clock, endpoint, hotMs, log, socketPath } = options
  const client = dynamoClient({ endpoint, socketPath })
  const tables = { gateway: GATEWAY_TABLE.name, sessions: SESSIONS_TABLE.name }
  await createTables(client, tables)
  const onTrouble = (cause: unknown) => log.note('warn', 'store-trouble', {}, cause)
  const store = dynamoStore({ client, tables, clock, onTrouble })
  const found = await findTail(client, tables.sessions, options.replyTail)
  const { tail, close } = await openReplyTail(found, {
    store,
    log,
    pace: isLoopback(endpoint) ? 'local' : 'aws',
    reach: { endpoint, socketPath },
  })
  const ports = dynamoStorePorts(store, { hotMs, ...(tail === undefined ? {} : { tail }) })
  return {
    ports,
    note: found.kind === options.replyTail ? undefined : NO_STREAM,
    close: () => {
      close()
      client.destroy()
    },
  }
}

const NO_STREAM = `Replies: by the partition tail, as the table ${SESSIONS_TABLE.name} has no stream.`

/** A table that the twin did not create may have no stream. */
async function findTail(
  client: DynamoDBClient,
  table: string,
  kind: ReplyTail['kind'],
): Promise<ReplyTail> {
  if (kind === 'partition') return { kind }
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }))
  const on = Table?.StreamSpecification?.StreamEnabled === true
  const streamArn = on ? Table?.LatestStreamArn : undefined
  return streamArn === undefined ? { kind: 'partition' } : { kind, streamArn }
}
