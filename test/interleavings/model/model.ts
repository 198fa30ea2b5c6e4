/**
 * The engine of items as a DynamoDB that a seed can trouble: requests and answers in wire form, tables with the earlier
 * versions of their items. differential.test.ts compares its answers with an emulator's.
 */
import { toPlainItem, toWireItem } from '../../../adapters/dynamodb/client/signed/wire-value.ts'
import type {
  StoreInputs,
  StoreOperation,
} from '../../../adapters/dynamodb/client/store-requests.ts'
import { carryOutRequest } from '../../../adapters/dynamodb/items/engine.ts'
import type { Engine } from '../../../adapters/dynamodb/items/item-tables.ts'
import type { WireItem, WireRequest } from './requests.ts'
import { openTables, type Staleness, type Tables } from './tables.ts'

/** How an eventually consistent read goes, and how much of an answer comes at once. */
export type Reading = {
  readonly staleness: Staleness
  /** Items in one page at most: DynamoDB ends a page at 1 MB. */
  readonly pageMax: number
  /** True where BatchGetItem leaves a key out, as it may. */
  leavesOut(): boolean
}

export const PLAIN: Reading = {
  staleness: () => 0,
  pageMax: Number.MAX_SAFE_INTEGER,
  leavesOut: () => false,
}

export type Model = {
  readonly tables: Tables
  /** Throws `Refused` for an answer with an error. */
  apply(request: WireRequest, reading: Reading): object
}

/** An eventually consistent read usually lags by milliseconds; seconds are allowed. */
const STALE_MS = 3_000

export function openModel(nowMs: () => number): Model {
  const tables = openTables(nowMs, STALE_MS)
  const tokens: Engine['tokens'] = new Map()
  return {
    tables,
    apply: ({ body, operation }, { leavesOut, pageMax, staleness }) => {
      const engine = {
        tables: tables.reading(staleness),
        tokens,
        nowMs,
        leavesOut,
        pageItemsMax: pageMax,
      }
      const input = plainMembers(body) as StoreInputs[StoreOperation]
      return wireMembers(carryOutRequest(engine, operation as StoreOperation, input))
    },
  }
}

/** Members of requests and answers that hold an item, or one for each entry. */
const ITEMS = [
  'Item',
  'Key',
  'ExclusiveStartKey',
  'LastEvaluatedKey',
  'Attributes',
  'ExpressionAttributeValues',
]

function plainMembers(value: unknown): object {
  return mapMembers(value, (item) => toPlainItem(item as WireItem))
}

function wireMembers(value: unknown): object {
  return mapMembers(value, (item) => toWireItem(item))
}

function mapMembers(value: unknown, change: (item: object) => object): object {
  if (typeof value !== 'object' || value === null) return {}
  const entries = Object.entries(value).map(([name, member]) => [
    name,
    mapMember(name, member, change),
  ])
  return Object.fromEntries(entries)
}

function mapMember(name: string, member: unknown, change: (item: object) => object): unknown {
  if (typeof member !== 'object' || member === null) return member
  if (ITEMS.includes(name)) return change(member)
  if (name === 'ExpressionAttributeNames') return member
  if (name === 'Responses' && !Array.isArray(member)) return mapTables(member, change)
  if (!Array.isArray(member)) return mapMembers(member, change)
  const isItems = name === 'Items' || name === 'Keys'
  return member.map((one: object) => (isItems ? change(one) : mapMembers(one, change)))
}

function mapTables(tables: object, change: (item: object) => object): object {
  const changed = Object.entries(tables).map(([table, items]: [string, object[]]) => [
    table,
    items.map(change),
  ])
  return Object.fromEntries(changed)
}
