/**
 * The store ports over any DynamoDB endpoint, its tables made where they are missing, with news of the
 * ledger from the stream of the Gateway table, and the tail that was asked for. The tails differ only in
 * how they find replies.
 */
import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { dynamoClient, isLoopback } from '../../adapters/dynamodb/client/client.ts'
import { dynamoStore } from '../../adapters/dynamodb/client/sdk-store.ts'
import { createTables } from '../../adapters/dynamodb/create-tables.ts'
import { openReplyTail } from '../../adapters/dynamodb/reply-stream/open-reply-tail.ts'
import { streamsClient } from '../../adapters/dynamodb/reply-stream/open-streams-tail.ts'
import type { ReplyTail } from '../../adapters/dynamodb/reply-stream/tail-types.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { GATEWAY_TABLE, SESSIONS_TABLE } from '../../adapters/dynamodb/table.ts'
import type { Clock, LedgerNews, Log, StorePorts } from '../../core/ports.ts'
import { readPlace, writePlace } from './news-place.ts'
import { type Seen, streamNews } from './stream-news.ts'

export type DynamoStoreOptions = {
  readonly endpoint: string
  /** Where the endpoint is behind a socket of the file system. */
  readonly socketPath?: string
  readonly replyTail: ReplyTail['kind']
  readonly hotMs?: number
  /** Says up to where the stream is archived; undefined: nothing on disk. */
  readonly placeFile?: string | undefined
  readonly clock: Clock
  readonly log: Pick<Log, 'note'>
}

export async function openDynamoStore(options: DynamoStoreOptions): Promise<{
  readonly ports: StorePorts
  /** Undefined where the Gateway table has no stream of whole records. */
  readonly ledgerNews: LedgerNews | undefined
  /** A note for the person when something of this is missing. */
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
  const news = await openNews(client, tables.gateway, options)
  const notes = [
    ...(found.kind === options.replyTail ? [] : [NO_STREAM]),
    ...(news === undefined ? [NO_NEWS] : []),
  ]
  return {
    ports,
    ledgerNews: news?.ledgerNews,
    note: notes.length === 0 ? undefined : notes.join(' '),
    close: () => {
      close()
      news?.close()
      client.destroy()
    },
  }
}

const NO_STREAM = `Replies: by the partition tail, as the table ${SESSIONS_TABLE.name} has no stream.`
const NO_NEWS = `Calls: no lists, sums and archive, as the table ${GATEWAY_TABLE.name} has no stream with new images.`

/** A table that the twin did not create may have no stream. */
async function findTail(
  client: DynamoDBClient,
  table: string,
  kind: ReplyTail['kind'],
): Promise<ReplyTail> {
  if (kind === 'partition') return { kind }
  const { arn } = await streamOf(client, table)
  return arn === undefined ? { kind: 'partition' } : { kind, streamArn: arn }
}

async function openNews(
  client: DynamoDBClient,
  table: string,
  { clock, endpoint, log, placeFile, socketPath }: DynamoStoreOptions,
): Promise<{ readonly ledgerNews: LedgerNews; close(): void } | undefined> {
  const { arn: streamArn, images } = await streamOf(client, table)
  if (streamArn === undefined || !images) return undefined
  const place = placeFile === undefined ? undefined : readPlace(placeFile)
  const seen: Seen = place?.streamArn === streamArn ? place.seen : new Map()
  const keep = (now: Seen) => {
    if (placeFile !== undefined) writePlace(placeFile, { streamArn, seen: now })
  }
  const streams = streamsClient({ endpoint, socketPath })
  const ledgerNews = streamNews({ client: streams, streamArn, clock, log, seen, keep })
  return { ledgerNews, close: () => streams.destroy() }
}

/** `images`: its records have the items as they are after a change. */
async function streamOf(
  client: DynamoDBClient,
  table: string,
): Promise<{ readonly arn: string | undefined; readonly images: boolean }> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }))
  const { StreamEnabled, StreamViewType } = Table?.StreamSpecification ?? {}
  return {
    arn: StreamEnabled === true ? Table?.LatestStreamArn : undefined,
    images: StreamViewType === 'NEW_IMAGE' || StreamViewType === 'NEW_AND_OLD_IMAGES',
  }
}
