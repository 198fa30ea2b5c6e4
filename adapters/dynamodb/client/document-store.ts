/**
 * DynamoDB as the adapters of this folder use it: plain items in and out. A refused condition is a
 * value; every other failure is a thrown `Fault`. This file depends on no kind of record.
 */
import type { Clock } from '../../../core/ports/outside.ts'
import type { Key } from '../table.ts'
import { type Connection, type ConsumedUnits, connect } from './connection.ts'
import {
  type ConditionRefusal,
  conditionInput,
  type Expression,
  expressionInput,
  readRefusalOrThrow,
} from './expression.ts'
import type { Item } from './item.ts'
import { type PartitionQuery, queryAll, type ScanStep, scan } from './query-and-scan.ts'
import { batchGet, readSnapshot } from './read-keys.ts'
import { retryConflicts } from './retry-conflicts.ts'
import type { StoreInputs, StoreRequests } from './store-requests.ts'
import { type TransactAnswer, type TransactWrite, transact } from './transaction.ts'
import { change, type Update, type UpdateAnswer, update } from './update.ts'

/** Deployed names of the two tables. */
export type TableNames = { readonly gateway: string; readonly sessions: string }

export type Put = Expression & { readonly item: Item; readonly if?: string }
export type Removal = Expression & { readonly key: Key; readonly if: string }
/** `old` is the item that was replaced. */
export type PutAnswer =
  | { readonly kind: 'written'; readonly old: Item | undefined }
  | ConditionRefusal
export type RemoveAnswer = { readonly kind: 'removed' } | ConditionRefusal

export type DynamoStore = {
  readonly tables: TableNames
  readonly clock: Clock
  /** Reports an error that the caller survives and retries later (tails, clean-ups). */
  onTrouble(cause: unknown): void
  get(table: string, key: Key, read: 'consistent' | 'eventual'): Promise<Item | undefined>
  /** Eventually consistent by default. */
  batchGet(table: string, keys: readonly Key[], read?: 'consistent'): Promise<readonly Item[]>
  query(table: string, query: PartitionQuery): Promise<readonly Item[]>
  /** Reads all of the items at one moment. */
  snapshot(table: string, keys: readonly Key[]): Promise<readonly (Item | undefined)[]>
  scan(table: string, step: ScanStep): ReturnType<typeof scan>
  put(table: string, put: Put): Promise<PutAnswer>
  update(table: string, update: Update): Promise<UpdateAnswer>
  /**
   * As `update`, but the answer contains no item. A permission that names attributes may deny a
   * request that returns other attributes. Resolves to false if the condition refused the write.
   */
  change(table: string, update: Update): Promise<boolean>
  /** Resolves to the removed item. */
  remove(table: string, key: Key): Promise<Item | undefined>
  /** Removes the item if it meets the condition. A missing item gives `refused`. */
  removeIf(table: string, removal: Removal): Promise<RemoveAnswer>
  transact(writes: readonly TransactWrite[]): Promise<TransactAnswer>
}

export type StoreOptions = {
  tables: TableNames
  clock: Clock
  /** Receives the units of each request; without it, no units are requested. */
  onConsumed?: (consumed: ConsumedUnits) => void
  onTrouble?: (cause: unknown) => void
}

/** The store over one of the two clients (SDK or light) or over the local engine. */
export function makeStore(requests: StoreRequests, options: StoreOptions): DynamoStore {
  const connection = connect(requests, options.clock, options.onConsumed)
  return {
    tables: options.tables,
    clock: options.clock,
    onTrouble: options.onTrouble ?? (() => {}),
    get: (table, key, read) => get(connection, table, key, read),
    batchGet: (table, keys, read) => batchGet(connection, table, keys, read ?? 'eventual'),
    query: (table, query) => queryAll(connection, table, query),
    snapshot: (table, keys) => readSnapshot(connection, table, keys),
    scan: (table, step) => scan(connection, table, step),
    put: (table, what) => put(connection, table, what),
    update: (table, what) => update(connection, table, what),
    change: (table, what) => change(connection, table, what),
    remove: (table, key) => remove(connection, table, key),
    removeIf: (table, removal) => removeIf(connection, table, removal),
    transact: (writes) => transact(connection, writes),
  }
}

async function get(
  connection: Connection,
  table: string,
  key: Key,
  read: 'consistent' | 'eventual',
): Promise<Item | undefined> {
  const input = {
    TableName: table,
    Key: { ...key },
    ConsistentRead: read === 'consistent',
    ...connection.metered,
  }
  const answer = await retryConflicts(connection.clock, () =>
    connection.requests.send('GetItem', input),
  )
  connection.consumed('get', answer.ConsumedCapacity)
  return answer.Item
}

function put(connection: Connection, table: string, write: Put): Promise<PutAnswer> {
  const input: StoreInputs['PutItem'] = {
    TableName: table,
    Item: { ...write.item },
    ReturnValues: 'ALL_OLD',
    ...conditionInput(write.if),
    ...expressionInput([write.if], write),
    ...connection.metered,
  }
  return retryConflicts(connection.clock, async () => {
    try {
      const answer = await connection.requests.send('PutItem', input)
      connection.consumed('put', answer.ConsumedCapacity)
      return { kind: 'written', old: answer.Attributes }
    } catch (cause) {
      return readRefusalOrThrow(cause)
    }
  })
}

async function remove(connection: Connection, table: string, key: Key): Promise<Item | undefined> {
  const input: StoreInputs['DeleteItem'] = {
    TableName: table,
    Key: { ...key },
    ReturnValues: 'ALL_OLD',
    ...connection.metered,
  }
  const answer = await retryConflicts(connection.clock, () =>
    connection.requests.send('DeleteItem', input),
  )
  connection.consumed('delete', answer.ConsumedCapacity)
  return answer.Attributes
}

function removeIf(connection: Connection, table: string, removal: Removal): Promise<RemoveAnswer> {
  const input: StoreInputs['DeleteItem'] = {
    TableName: table,
    Key: { ...removal.key },
    ...conditionInput(removal.if),
    ...expressionInput([removal.if], removal),
    ...connection.metered,
  }
  return retryConflicts(connection.clock, async () => {
    try {
      const answer = await connection.requests.send('DeleteItem', input)
      connection.consumed('delete', answer.ConsumedCapacity)
      return { kind: 'removed' }
    } catch (cause) {
      return readRefusalOrThrow(cause)
    }
  })
}
