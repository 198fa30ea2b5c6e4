/**
 * TransactWriteItems with refusals as values: the writes whose condition refused, each with the
 * item that refused it. A normal call needs no transaction.
 */
import { randomUUID } from 'node:crypto'
import type { CancellationReason } from '@aws-sdk/client-dynamodb'
import { Fault } from '../../../core/errors.ts'
import type { Key } from '../table.ts'
import type { Connection } from './connection.ts'
import { type Expression, expressionInput } from './expression.ts'
import { type Item, itemFromWire } from './item.ts'
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

/** Per write: undefined where its condition held, otherwise the item that refused it. */
export type Refusals = readonly ({ readonly old: Item | undefined } | undefined)[]

export type TransactAnswer =
  | { readonly kind: 'written' }
  | { readonly kind: 'refused'; readonly refusals: Refusals }

type CanceledTransaction = Error & { readonly CancellationReasons?: CancellationReason[] }

/** By its name, which the errors of both clients have. */
export function isCanceledTransaction(cause: unknown): cause is CanceledTransaction {
  return cause instanceof Error && cause.name === 'TransactionCanceledException'
}

type TransactItem = NonNullable<StoreInputs['TransactWriteItems']['TransactItems']>[number]

/**
 * Applies all of the writes, or none. One token for all sends of the request, those after a conflict
 * too: once it was carried out, a copy that arrives within ten minutes changes nothing, whatever has
 * happened to the items since. No condition gives that: it may be met again.
 */
export function transact(
  connection: Connection,
  writes: readonly TransactWrite[],
): Promise<TransactAnswer> {
  const TransactItems = writes.map(transactItem)
  const ClientRequestToken = randomUUID()
  return retryConflicts(connection.clock, async () => {
    try {
      const input = { TransactItems, ClientRequestToken, ...connection.metered }
      const answer = await connection.requests.send('TransactWriteItems', input)
      connection.consumed('transact', answer.ConsumedCapacity)
      return { kind: 'written' }
    } catch (cause) {
      if (!isCanceledTransaction(cause)) throw cause
      return refused(cause)
    }
  })
}

function transactItem(write: TransactWrite): TransactItem {
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

function refused(cause: CanceledTransaction): TransactAnswer {
  const reasons = cause.CancellationReasons ?? []
  const codes = reasons.map((reason) => reason.Code)
  if (codes.includes('ValidationError')) {
    throw new Fault('internal', 'store: a transaction was refused (ValidationError)', cause)
  }
  // A conflict or a throttle says nothing about the conditions: try again.
  if (!codes.includes('ConditionalCheckFailed')) throw new ConflictError(cause)
  return { kind: 'refused', refusals: reasons.map(refusal) }
}

function refusal(reason: CancellationReason): { old: Item | undefined } | undefined {
  if (reason.Code !== 'ConditionalCheckFailed') return undefined
  return { old: reason.Item === undefined ? undefined : itemFromWire(reason.Item) }
}
