/**
 * The DynamoDB operations that the adapters use, in this process: each request is one atomic step.
 * It is only as good as its agreement with an emulator, which differential.test.ts checks. It knows
 * no capacity, no TTL, no size limits and no other expressions than the adapters write.
 */
import { holds } from './evaluate.ts'
import { parseCondition, parseProjection } from './parse-expression.ts'
import type { BatchBody, GetBody, PageBody, TransactBody, WireRequest } from './requests.ts'
import { keyOf, NEWEST, openTables, type Staleness, type Tables } from './tables.ts'
import { invalid, textIn, type WireItem } from './wire.ts'
import { deleteItem, putItem, transactWriteItems, updateItem } from './writes.ts'

/** How an eventually consistent read goes, and how much of an answer comes at once. */
export type Reading = {
  readonly staleness: Staleness
  /** Items in one page at most: DynamoDB ends a page at 1 MB. */
  readonly pageMax: number
  /** True where BatchGetItem leaves a key out, as it may. */
  leavesOut(): boolean
}

export const PLAIN: Reading = {
  staleness: NEWEST,
  pageMax: Number.MAX_SAFE_INTEGER,
  leavesOut: () => false,
}

export type Model = {
  readonly tables: Tables
  /** Throws `Refused` for an answer with an error. */
  apply(request: WireRequest, reading: Reading): { readonly [name: string]: unknown }
}

/** An eventually consistent read usually lags by milliseconds; seconds are allowed. */
const STALE_MS = 3_000

export function openModel(nowMs: () => number): Model {
  const tables = openTables(nowMs, STALE_MS)
  const tokens = new Map<string, { text: string; atMs: number }>()
  const apply: Model['apply'] = ({ body, operation }, reading) => {
    switch (operation) {
      case 'GetItem':
        return itemAnswer(read(tables, body, reading))
      case 'BatchGetItem':
        return batchGetItem(tables, body, reading)
      case 'Query':
        return query(tables, body, reading)
      case 'Scan':
        return page(tables.all(body.TableName), body, reading)
      case 'PutItem':
        return putItem(tables, body)
      case 'UpdateItem':
        return updateItem(tables, body)
      case 'DeleteItem':
        return deleteItem(tables, body)
      case 'TransactGetItems':
        return transactGetItems(tables, body)
      case 'TransactWriteItems':
        return transactWriteItems(tables, tokens, nowMs(), body)
      default:
        throw new Error(`the model knows no ${operation}`)
    }
  }
  return { tables, apply }
}

function itemAnswer(item: WireItem | undefined) {
  return item === undefined ? {} : { Item: item }
}

function read(
  tables: Tables,
  { ConsistentRead, Key, TableName }: GetBody,
  { staleness }: Reading,
): WireItem | undefined {
  return tables.get(TableName, keyOf(Key), ConsistentRead === true ? NEWEST : staleness)
}

function batchGetItem(tables: Tables, { RequestItems }: BatchBody, reading: Reading) {
  const Responses: Record<string, WireItem[]> = {}
  const UnprocessedKeys: Record<string, { Keys: WireItem[]; ConsistentRead?: boolean }> = {}
  for (const [TableName, { Keys, ...how }] of Object.entries(RequestItems)) {
    if (new Set(Keys.map((key) => JSON.stringify(keyOf(key)))).size < Keys.length) {
      throw invalid('Provided list of item keys contains duplicates')
    }
    const left = Keys.filter(() => reading.leavesOut())
    const asked = Keys.filter((key) => !left.includes(key))
    const items = asked.map((Key) => read(tables, { TableName, Key, ...how }, reading))
    Responses[TableName] = items.filter((item) => item !== undefined)
    if (left.length > 0) UnprocessedKeys[TableName] = { Keys: left, ...how }
  }
  return { Responses, UnprocessedKeys }
}

function transactGetItems(tables: Tables, { TransactItems }: TransactBody) {
  const Responses = TransactItems.map(({ Get }) => {
    if (Get === undefined) throw invalid('TransactItems: a part without a read')
    return itemAnswer(tables.get(Get.TableName, keyOf(Get.Key), NEWEST))
  })
  return { Responses }
}

/** Every query of this store begins `#pk = :pk`. */
function query(tables: Tables, body: PageBody, reading: Reading) {
  const { KeyConditionExpression = '', ScanIndexForward, TableName } = body
  const pk = textIn(body.ExpressionAttributeValues ?? {}, ':pk')
  const staleness = body.ConsistentRead === true ? NEWEST : reading.staleness
  const condition = parseCondition(KeyConditionExpression)
  const items = tables
    .partition(TableName, pk, staleness)
    .filter((item) => holds(condition, item, body))
  return page(ScanIndexForward === false ? items.toReversed() : items, body, reading)
}

function page(all: readonly WireItem[], body: PageBody, { pageMax }: Reading) {
  const { ExclusiveStartKey, FilterExpression, Limit } = body
  const size = Math.min(pageMax, Limit ?? pageMax)
  const from = ExclusiveStartKey === undefined ? 0 : indexAfter(all, ExclusiveStartKey, body)
  const seen = all.slice(from, from + size)
  const last = seen.at(-1)
  const Items = seen
    .filter((item) => FilterExpression === undefined || passes(FilterExpression, item, body))
    .map((item) => projected(item, body))
  const isCut = last !== undefined && (seen.length === size || from + size < all.length)
  return { Items, Count: Items.length, ...(isCut ? { LastEvaluatedKey: keysOf(last) } : {}) }
}

function passes(filter: string, item: WireItem, body: PageBody): boolean {
  return holds(parseCondition(filter), item, body)
}

/** The place behind a key, whether or not its item still exists. */
function indexAfter(all: readonly WireItem[], start: WireItem, body: PageBody): number {
  const place = JSON.stringify(keyOf(start))
  const exact = all.findIndex((item) => JSON.stringify(keyOf(item)) === place)
  if (exact >= 0) return exact + 1
  const { pk, sk } = keyOf(start)
  const isAfter = (item: WireItem) => {
    const key = keyOf(item)
    if (key.pk !== pk) return key.pk > pk
    return body.ScanIndexForward === false ? key.sk < sk : key.sk > sk
  }
  const next = all.findIndex(isAfter)
  return next < 0 ? all.length : next
}

function keysOf(item: WireItem): WireItem {
  const { pk, sk } = keyOf(item)
  return { pk: { S: pk }, sk: { S: sk } }
}

function projected(item: WireItem, body: PageBody): WireItem {
  if (body.ProjectionExpression === undefined) return item
  const names = parseProjection(body.ProjectionExpression).map(([step]) => {
    const name = step !== undefined && 'name' in step ? step.name : ''
    return body.ExpressionAttributeNames?.[name] ?? ''
  })
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)))
}
