/** PutItem, UpdateItem, DeleteItem, and the same three inside TransactWriteItems. */
import type { StoreAnswers, StoreInputs } from '../client/store-requests.ts'
import type { Key } from '../table.ts'
import { type Bindings, readBindings } from './bindings.ts'
import { compileCondition } from './compile-condition.ts'
import { compileUpdate } from './compile-update.ts'
import { type Engine, readKey, type StoredItem, toStored } from './item-tables.ts'
import { makeValidationError, RefusedRequest } from './refused.ts'
import { countWriteUnits, ITEM_BYTES_MAX, reportUnits } from './size.ts'
import { toCanonicalMap, type ValueMap } from './value.ts'

/** What a write will do. A transaction plans all of its actions before it writes anything. */
export type WritePlan = {
  readonly table: string
  readonly key: Key
  readonly old: StoredItem | undefined
  readonly now: StoredItem | undefined
}

type Conditional = {
  readonly TableName?: string | undefined
  readonly ConditionExpression?: string | undefined
  readonly ReturnValues?: string | undefined
  readonly ReturnConsumedCapacity?: string | undefined
  readonly ReturnValuesOnConditionCheckFailure?: string | undefined
}

type Bound = Parameters<typeof readBindings>[0]
export type PutBody = Pick<StoreInputs['PutItem'], 'Item'> & Conditional & Bound
export type DeleteBody = Pick<StoreInputs['DeleteItem'], 'Key'> & Conditional & Bound
export type UpdateBody = Pick<StoreInputs['UpdateItem'], 'Key' | 'UpdateExpression'> &
  Conditional &
  Bound

export function putItem(engine: Engine, input: StoreInputs['PutItem']): StoreAnswers['PutItem'] {
  return toAnswer(input, carryOutPlan(engine, planPut(engine, input)))
}

export function updateItem(
  engine: Engine,
  input: StoreInputs['UpdateItem'],
): StoreAnswers['UpdateItem'] {
  return toAnswer(input, carryOutPlan(engine, planUpdate(engine, input)))
}

export function deleteItem(
  engine: Engine,
  input: StoreInputs['DeleteItem'],
): StoreAnswers['DeleteItem'] {
  return toAnswer(input, carryOutPlan(engine, planDelete(engine, input)))
}

export function planPut(engine: Engine, input: PutBody): WritePlan {
  const item = toCanonicalMap(input.Item ?? {})
  const place = findPlace(engine, input, item)
  assertCondition(input, place.old, readBindings(input, [input.ConditionExpression]))
  return { ...place, now: assertSize(item) }
}

export function planUpdate(engine: Engine, input: UpdateBody): WritePlan {
  const { ConditionExpression, UpdateExpression = '' } = input
  const place = findPlace(engine, input, input.Key)
  const bound = readBindings(input, [UpdateExpression, ConditionExpression])
  assertCondition(input, place.old, bound)
  const before = place.old?.item ?? { ...place.key }
  const after = compileUpdate(UpdateExpression)({ item: before, ...bound })
  if (after['pk'] !== place.key.pk || after['sk'] !== place.key.sk) {
    throw makeValidationError(
      'One or more parameter values were invalid: Cannot update a part of the key',
    )
  }
  return { ...place, now: assertSize(after) }
}

export function planDelete(engine: Engine, input: DeleteBody): WritePlan {
  const place = findPlace(engine, input, input.Key)
  assertCondition(input, place.old, readBindings(input, [input.ConditionExpression]))
  return { ...place, now: undefined }
}

function findPlace(
  { tables }: Engine,
  { TableName }: Conditional,
  map: Record<string, unknown> | undefined,
) {
  const table = String(TableName)
  const key = readKey(map)
  return { table, key, old: tables.get(table, key, 'consistent') }
}

function assertSize(item: ValueMap): StoredItem {
  const stored = toStored(item)
  if (stored.bytes <= ITEM_BYTES_MAX) return stored
  throw makeValidationError('Item size has exceeded the maximum allowed size')
}

/** Throws `RefusedRequest` if the condition is not met. */
function assertCondition(input: Conditional, old: StoredItem | undefined, bound: Bindings): void {
  const { ConditionExpression: text, ReturnValuesOnConditionCheckFailure: asked } = input
  if (text === undefined) return
  if (compileCondition(text)({ item: old?.item ?? NO_ITEM, ...bound })) return
  const item = asked === 'ALL_OLD' ? old?.item : undefined
  throw new RefusedRequest('ConditionalCheckFailedException', 'The conditional request failed', {
    item,
  })
}

const NO_ITEM: ValueMap = {}

export function carryOutPlan({ tables }: Engine, planned: WritePlan): WritePlan {
  const { key, now, old, table } = planned
  if (now !== undefined || old !== undefined) tables.put(table, key, now, old)
  return planned
}

export function countPlanUnits({ now, old }: WritePlan): number {
  return countWriteUnits(Math.max(now?.bytes ?? 0, old?.bytes ?? 0))
}

function toAnswer(input: Conditional, planned: WritePlan): StoreAnswers['UpdateItem'] {
  const { ReturnValues } = input
  const { now, old, table } = planned
  const shown = ReturnValues === 'ALL_NEW' ? now : ReturnValues === 'ALL_OLD' ? old : undefined
  const units = reportUnits(input, table, () => countPlanUnits(planned))
  return shown === undefined ? units : { Attributes: shown.item, ...units }
}
