/** GetItem, BatchGetItem and TransactGetItems. */
import type { StoreAnswers, StoreInputs } from '../client/store-requests.ts'
import { type Consistency, type Engine, keyOf, type Stored } from './item-tables.ts'
import { invalid } from './refused.ts'
import { ACTIONS_MAX, BATCH_BYTES_MAX, consumed, readUnits } from './size.ts'

export function getItem(
  { tables }: Engine,
  input: StoreInputs['GetItem'],
): StoreAnswers['GetItem'] {
  const table = String(input.TableName)
  const read = consistencyOf(input)
  const found = tables.get(table, keyOf(input.Key), read)
  const units = consumed(input, table, () => readUnits(found?.bytes ?? 0, read === 'consistent'))
  return found === undefined ? units : { Item: found.item, ...units }
}

export function batchGetItem(
  engine: Engine,
  input: StoreInputs['BatchGetItem'],
): StoreAnswers['BatchGetItem'] {
  const Responses: NonNullable<StoreAnswers['BatchGetItem']['Responses']> = {}
  const UnprocessedKeys: NonNullable<StoreAnswers['BatchGetItem']['UnprocessedKeys']> = {}
  const units: StoreAnswers['BatchGetItem']['ConsumedCapacity'] = []
  let bytes = 0
  for (const [table, wanted] of Object.entries(input.RequestItems ?? {})) {
    const { found, left } = readKeys(engine, table, wanted, BATCH_BYTES_MAX - bytes)
    bytes += found.reduce((sum, one) => sum + one.bytes, 0)
    Responses[table] = found.map(({ item }) => item)
    if (left.length > 0) UnprocessedKeys[table] = { ...wanted, Keys: left }
    const read = (wanted.Keys ?? []).length - left.length
    const one = consumed(input, table, () => countBatchUnits(found, read, consistencyOf(wanted)))
    if (one.ConsumedCapacity !== undefined) units.push(one.ConsumedCapacity)
  }
  const answer = { Responses, UnprocessedKeys }
  return units.length === 0 ? answer : { ...answer, ConsumedCapacity: units }
}

type KeysOfTable = NonNullable<StoreInputs['BatchGetItem']['RequestItems']>[string]

/** `left`: keys that the answer does not include, because it would exceed `bytesMax`. */
function readKeys(
  { leavesOut, tables }: Engine,
  table: string,
  wanted: KeysOfTable,
  bytesMax: number,
): { readonly found: readonly Stored[]; readonly left: Record<string, unknown>[] } {
  const keys = wanted.Keys ?? []
  refuseDuplicates(keys)
  const left = leavesOut === undefined ? [] : keys.filter(() => leavesOut())
  const found: Stored[] = []
  let bytes = 0
  for (const key of keys) {
    if (left.includes(key)) continue
    const stored = tables.get(table, keyOf(key), consistencyOf(wanted))
    if (stored === undefined) continue
    bytes += stored.bytes
    if (bytes > bytesMax) left.push(key)
    else found.push(stored)
  }
  return { found, left }
}

/** Each key is a read of its own; a read that finds nothing costs as much as the smallest item. */
function countBatchUnits(found: readonly Stored[], keys: number, read: Consistency): number {
  const isConsistent = read === 'consistent'
  const missing = (keys - found.length) * readUnits(0, isConsistent)
  return found.reduce((sum, { bytes }) => sum + readUnits(bytes, isConsistent), missing)
}

function refuseDuplicates(keys: readonly Record<string, unknown>[]): void {
  if (keys.length > ACTIONS_MAX) throw invalid('Too many items requested for the BatchGetItem call')
  const names = new Set(keys.map((key) => `${String(key['pk'])}\0${String(key['sk'])}`))
  if (names.size < keys.length) throw invalid('Provided list of item keys contains duplicates')
}

export function transactGetItems(
  { tables }: Engine,
  input: StoreInputs['TransactGetItems'],
): StoreAnswers['TransactGetItems'] {
  const parts = input.TransactItems ?? []
  if (parts.length > ACTIONS_MAX) throw invalid('a transaction has at most 100 actions')
  let units = 0
  const Responses = parts.map(({ Get }) => {
    const found = tables.get(String(Get?.TableName), keyOf(Get?.Key), 'consistent')
    units += 2 * readUnits(found?.bytes ?? 0, true)
    return found === undefined ? {} : { Item: found.item }
  })
  const { ConsumedCapacity } = consumed(input, String(parts[0]?.Get?.TableName), () => units)
  return ConsumedCapacity === undefined
    ? { Responses }
    : { Responses, ConsumedCapacity: [ConsumedCapacity] }
}

export function consistencyOf(input: { ConsistentRead?: boolean | undefined }): Consistency {
  return input.ConsistentRead === true ? 'consistent' : 'eventual'
}
