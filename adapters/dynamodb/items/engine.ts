/**
 * The nine operations of DynamoDB that the adapters use, over tables of items. Each operation is
 * one atomic step of this process. Bound by AWS's documentation of DynamoDB; the store contracts
 * run on this engine and on an emulator. There is no IAM, no index and no stream; each write calls
 * `put`.
 */
import type { StoreAnswers, StoreInputs, StoreOperation } from '../client/store-requests.ts'
import type { Engine } from './item-tables.ts'
import { query, scan } from './pages.ts'
import { batchGetItem, getItem, transactGetItems } from './reads.ts'
import { transactWriteItems } from './transaction.ts'
import { deleteItem, putItem, updateItem } from './writes.ts'

type Operations = {
  readonly [O in StoreOperation]: (engine: Engine, input: StoreInputs[O]) => StoreAnswers[O]
}

const OPERATIONS: Operations = {
  BatchGetItem: batchGetItem,
  DeleteItem: deleteItem,
  GetItem: getItem,
  PutItem: putItem,
  Query: query,
  Scan: scan,
  TransactGetItems: transactGetItems,
  TransactWriteItems: transactWriteItems,
  UpdateItem: updateItem,
}

/** Carries out one request. Throws `RefusedRequest` for an error that DynamoDB would answer. */
export function carryOutRequest<O extends StoreOperation>(
  engine: Engine,
  operation: O,
  input: StoreInputs[O],
): StoreAnswers[O] {
  return OPERATIONS[operation](engine, input)
}
