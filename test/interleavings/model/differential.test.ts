/**
 * The model of DynamoDB against an emulator: random requests of the forms that the adapters send, to
 * both, must get the same answers and leave the same items. A model that is wrong proves nothing.
 */
import {
  BatchGetItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { describe, expect, test } from 'vitest'
import { TABLES, useEmbeddedStore } from '../../adapters/dynamodb/embedded-store.ts'
import { testClock } from '../../contracts/test-clock.ts'
import { seededRandom } from '../random.ts'
import { openModel } from './model.ts'
import { answerOf, clientOver } from './model-client.ts'
import { randomRequest } from './random-request.ts'

const clock = testClock()
const embedded = await useEmbeddedStore(clock)
const REQUESTS = process.env['TEST_LONG'] === undefined ? 2_500 : 30_000
const SEED = Number(process.env['SIMULATION_SEED'] ?? 1)

const COMMANDS = {
  GetItem: GetItemCommand,
  BatchGetItem: BatchGetItemCommand,
  Query: QueryCommand,
  Scan: ScanCommand,
  PutItem: PutItemCommand,
  UpdateItem: UpdateItemCommand,
  DeleteItem: DeleteItemCommand,
  TransactGetItems: TransactGetItemsCommand,
  TransactWriteItems: TransactWriteItemsCommand,
} as const

describe('the model of DynamoDB', () => {
  test('answers random requests as the emulator does, and stores the same', async () => {
    const model = openModel(clock.nowMs)
    const client = clientOver(async (request) => answerOf(model, request))
    const random = seededRandom(SEED)
    const outcomes = new Set<string>()
    for (let count = 1; count <= REQUESTS; count += 1) {
      const { body, form, operation } = randomRequest(random, TABLES.gateway)
      const first = await answered(client, operation, body)
      if (isTooLenient(first, body)) continue
      const second = await answered(embedded.client, operation, body)
      const shown = `request ${count} of seed ${SEED}: ${operation} ${JSON.stringify(body)}`
      expect(first, shown).toEqual(second)
      outcomes.add(`${operation} ${form} ${'error' in first ? String(first['error']) : 'done'}`)
    }
    expect(await everything(client)).toEqual(await everything(embedded.client))
    const refused = [...outcomes].filter((one) => one.endsWith('ConditionalCheckFailedException'))
    const carriedOut = [...outcomes].filter((one) => one.endsWith('done'))
    // Every form both ways, or the requests are not random enough.
    expect(refused.length).toBeGreaterThan(40)
    expect(carriedOut.length).toBeGreaterThan(60)
  })
})

/**
 * DynamoDB refuses a removal inside of a map or list that the item lacks, and the model does; the emulator
 * takes it for done. Nothing was written here, so it is not sent there.
 */
function isTooLenient(answer: object, body: object): boolean {
  const isRefused = /"ValidationE(xception|rror)"/.test(JSON.stringify(answer))
  return isRefused && /REMOVE #[ml]/.test(JSON.stringify(body))
}

type Operation = keyof typeof COMMANDS

/** Without what neither answer means: metadata, and messages in another wording. */
async function answered(
  client: DynamoDBClient,
  operation: string,
  body: object,
): Promise<{ [name: string]: unknown }> {
  const Command = COMMANDS[operation as Operation] as unknown as new (input: object) => object
  try {
    const answer = await client.send(new Command(body) as GetItemCommand)
    return outputOf({ ...answer })
  } catch (cause) {
    return errorOf(cause)
  }
}

function outputOf(answer: { [name: string]: unknown }): { [name: string]: unknown } {
  const { $metadata, Count, ScannedCount, LastEvaluatedKey, ...output } = answer
  // A batch has no order; an empty part of an answer may be left out.
  const { Responses } = output
  if (isBatch(Responses)) {
    const sorted = Object.entries(Responses).map(([table, items]) => [table, sortedItems(items)])
    output['Responses'] = Object.fromEntries(sorted)
  }
  return output
}

function isBatch(value: unknown): value is { [table: string]: readonly unknown[] } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sortedItems(items: readonly unknown[]): readonly unknown[] {
  const placed = items.map((item) => [JSON.stringify(item, sortedKeys), item] as const)
  return placed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item)
}

/** Maps have no order either. */
function sortedKeys(_name: string, value: unknown): unknown {
  if (!isBatch(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function errorOf(cause: unknown): { [name: string]: unknown } {
  if (!(cause instanceof Error)) throw cause
  const {
    CancellationReasons: reasons,
    Item,
    name,
  } = cause as Error & {
    CancellationReasons?: readonly { Code?: string; Item?: unknown }[]
    Item?: unknown
  }
  if (name === 'Error' || name === 'TypeError') throw cause
  const codes = reasons?.map(({ Code, Item: item }) => ({ Code, item }))
  return { error: name, item: Item, codes }
}

async function everything(client: DynamoDBClient): Promise<readonly unknown[]> {
  const items: unknown[] = []
  let from: Record<string, unknown> | undefined
  do {
    const scan = { TableName: TABLES.gateway, ConsistentRead: true, ExclusiveStartKey: from }
    const answer = await client.send(new ScanCommand(scan as { TableName: string }))
    items.push(...(answer.Items ?? []))
    from = answer.LastEvaluatedKey
  } while (from !== undefined)
  return sortedItems(items)
}
