/**
 * TransactWriteItems with refusals as values: the writes whose condition was not met, each with the
 * stored item. A normal call needs no transaction.
 */
import { randomUUID } from 'node:crypto'
import type { CancellationReason } from '@aws-sdk/client-dynamodb'
import { Fault } from '../../../core/errors.ts'
import type { Key } from '../table.ts'
import type { Connection } from './connection.ts'
import { type Expression, expressionInput } from './expression.ts'
import { type Item, readWireItem } from './item.ts'
import { ConflictError, retryConflicts } from './retry-conflicts.ts'
import type { StoreInputs } from './store-requests.ts'

export type TransactWrite = Expression & {
  readonly table: string
  readonly if: string
} & (
    | { readonly put: Item }
    | { readonly update: string; readonly key: Key }
    | { readonly remove: Key }
  )

/** One entry for each write: undefined if its condition was met, otherwise the stored item. */
export type Refusals = readonly ({ readonly old: Item | undefined } | undefined)[]

export type TransactAnswer =
  | { readonly kind: 'written' }
  | { readonly kind: 'refused'; readonly refusals: Refusals }

type CanceledTransaction = Error & { readonly CancellationReasons?: CancellationReason[] }

/** Compares the error's name, which is the same with both clients. */
export function isCanceledTransaction(cause: unknown): cause is CanceledTransaction {
  return cause instanceof Error && cause.name === 'TransactionCanceledException'
}

type TransactItem = NonNullable<StoreInputs['TransactWriteItems']['TransactItems']>[number]

/**
 * Applies all of the writes, or none. All attempts of the request have one token: after one of them
 * is carried out, a copy that arrives within ten minutes changes nothing, even if the items have
 * changed since. A condition cannot ensure that, because the changed items may meet it again.
 */
export function transact(
  connection: Connection,
  writes: readonly TransactWrite[],
): Promise<TransactAnswer> {
  const TransactItems = writes.map(toTransactItem)
  const ClientRequestToken = randomUUID()
  return retryConflicts(connection.clock, async () => {
    try {
      const input = { TransactItems, ClientRequestToken, ...connection.metered }
      const answer = await connection.requests.send('TransactWriteItems', input)
      connection.consumed('transact', answer.ConsumedCapacity)
      return { kind: 'written' }
    } catch (cause) {
      if (!isCanceledTransaction(cause)) throw cause
      return readRefusals(cause)
    }
  })
}

function toTransactItem(write: TransactWrite): TransactItem {
  const common = {
    TableName: write.table,
    ConditionExpression: write.if,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const
  if ('put' in write) {
    return { Put: { ...common, Item: { ...write.put }, ...expressionInput([write.if], write) } }
  }
  if ('remove' in write) {
    const names = expressionInput([write.if], write)
    return { Delete: { ...common, Key: { ...write.remove }, ...names } }
  }
  return {
    Update: {
      ...common,
      Key: { ...write.key },
      UpdateExpression: write.update,
      ...expressionInput([write.update, write.if], write),
    },
  }
}

function readRefusals(cause: CanceledTransaction): TransactAnswer {
  const reasons = cause.CancellationReasons ?? []
  const codes = reasons.map((reason) => reason.Code)
  if (codes.includes('ValidationError')) {
    throw new Fault('internal', 'store: a transaction was refused (ValidationError)', cause)
  }
  // A conflict or a throttle says nothing about the conditions, so the request is sent again.
  if (!codes.includes('ConditionalCheckFailed')) throw new ConflictError(cause)
  return { kind: 'refused', refusals: reasons.map(toRefusal) }
}

function toRefusal(reason: CancellationReason): { old: Item | undefined } | undefined {
  if (reason.Code !== 'ConditionalCheckFailed') return undefined
  return { old: reason.Item === undefined ? undefined : readWireItem(reason.Item) }
}
