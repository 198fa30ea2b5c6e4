/**
 * Stands before an emulator that has no point-in-time recovery, and answers its two requests: how far
 * it reaches back, and the restore. A restored table is made on the emulator with keys and records of
 * the remembered moment, and with no setting, as DynamoDB makes one. As there, the restore is
 * answered at once, and the table is CREATING until it has all records. All other requests pass; an
 * update of a table also names the settings of earlier ones, which the emulator would forget.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import {
  type AttributeValue,
  BatchWriteItemCommand,
  CreateTableCommand,
  type DynamoDBClient,
  ScanCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb'
import { closePort, openPort } from '../../local/http/listen.ts'
import { send } from '../e2e/http.ts'

type Item = { [name: string]: AttributeValue }
/** The copy to a restored table that is not done; `failed` has the reason. */
type Copy = 'running' | { readonly failed: string }

/** Most items that DynamoDB takes in one BatchWriteItem. */
const BATCH_ITEMS_MAX = 25

export type RecoveryProxy = {
  readonly url: string
  /** Remembers what the table has now; later restores bring it back. */
  remember(): Promise<void>
  close(): Promise<void>
}

export async function startRecoveryProxy(
  client: DynamoDBClient,
  endpoint: string,
  source: string,
): Promise<RecoveryProxy> {
  let remembered: readonly Item[] = []
  const given = new Map<unknown, object>()
  const copies = new Map<unknown, Copy>()
  const server: Server = createServer(async (request, response) => {
    const body = await readBody(request)
    const { action, input } = readAction(request, body)
    if (action === 'RestoreTableToPointInTime') {
      startCopy(copies, input.TargetTableName, makeTable(client, input.TargetTableName, remembered))
      response.end('{}')
    } else if (action === 'DescribeTable' && copies.has(input.TableName)) {
      describeCopy(response, input.TableName, copies.get(input.TableName))
    } else if (action === 'DescribeContinuousBackups' && input.TableName === source) {
      response.end(JSON.stringify(WINDOW))
    } else {
      const sent = action === 'UpdateTable' ? addGiven(given, input) : body
      const { status, text } = await passOn(endpoint, request, sent)
      response.writeHead(status).end(text)
    }
  })
  const port = await openPort(server, { host: '127.0.0.1', port: 0 })
  return {
    url: `http://127.0.0.1:${port}`,
    remember: async () => {
      remembered = await readAll(client, source)
    },
    close: () => closePort(server),
  }
}

/** A table without a copy under way is described by the emulator. */
function startCopy(copies: Map<unknown, Copy>, table: string, copying: Promise<void>): void {
  copies.set(table, 'running')
  copying.then(
    () => copies.delete(table),
    (cause: unknown) => copies.set(table, { failed: String(cause) }),
  )
}

/** A copy that failed fails the command that waits for it. */
function describeCopy(response: ServerResponse, TableName: string, copy?: Copy): void {
  if (typeof copy === 'object') response.writeHead(500).end(`the copy failed: ${copy.failed}`)
  else response.end(JSON.stringify({ Table: { TableName, TableStatus: 'CREATING' } }))
}

/** Reaches from 1970 to 2100, in seconds. */
const WINDOW = {
  ContinuousBackupsDescription: {
    PointInTimeRecoveryDescription: {
      PointInTimeRecoveryStatus: 'ENABLED',
      EarliestRestorableDateTime: 0,
      LatestRestorableDateTime: 4_102_444_800,
    },
  },
}

type TableUpdate = {
  readonly TableName: unknown
  readonly DeletionProtectionEnabled?: unknown
  readonly OnDemandThroughput?: unknown
}

function addGiven(given: Map<unknown, object>, update: TableUpdate): Buffer {
  const { DeletionProtectionEnabled, OnDemandThroughput, TableName } = update
  const named = Object.entries({ DeletionProtectionEnabled, OnDemandThroughput })
  const kept = {
    ...given.get(TableName),
    ...Object.fromEntries(named.filter(([, value]) => value !== undefined)),
  }
  given.set(TableName, kept)
  return Buffer.from(JSON.stringify({ ...update, ...kept }))
}

function readAction({ headers, method }: IncomingMessage, body: Buffer) {
  const action = String(headers['x-amz-target'] ?? '').replace('DynamoDB_20120810.', '')
  return { action, input: method === 'POST' && action !== '' ? JSON.parse(body.toString()) : {} }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts)
}

function passOn(endpoint: string, request: IncomingMessage, body: Buffer) {
  const { 'content-length': _length, host: _host, connection: _open, ...headers } = request.headers
  return send(new URL(request.url ?? '/', endpoint), {
    method: request.method ?? 'GET',
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, String(value)]),
    ),
    body,
  })
}

async function makeTable(
  client: DynamoDBClient,
  TableName: string,
  items: readonly Item[],
): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName,
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  )
  for (let from = 0; from < items.length; from += BATCH_ITEMS_MAX) {
    const batch = items.slice(from, from + BATCH_ITEMS_MAX)
    let left: WriteRequest[] = batch.map((Item) => ({ PutRequest: { Item } }))
    while (left.length > 0) {
      const { UnprocessedItems } = await client.send(
        new BatchWriteItemCommand({ RequestItems: { [TableName]: left } }),
      )
      left = UnprocessedItems?.[TableName] ?? []
    }
  }
}

async function readAll(client: DynamoDBClient, TableName: string): Promise<readonly Item[]> {
  const items: Item[] = []
  let ExclusiveStartKey: Item | undefined
  do {
    const page = await client.send(new ScanCommand({ TableName, ExclusiveStartKey }))
    items.push(...(page.Items ?? []))
    ExclusiveStartKey = page.LastEvaluatedKey
  } while (ExclusiveStartKey !== undefined)
  return items
}
