/** GetItem, BatchGetItem and TransactGetItems. */
import type { StoreAnswers, StoreInputs } from '../client/store-requests.ts'
import { type Consistency, type Engine, readKey, type StoredItem } from './item-tables.ts'
import { makeValidationError } from './refused.ts'
import { ACTIONS_MAX, BATCH_BYTES_MAX, countReadUnits, reportUnits } from './size.ts'

export function getItem(
  { tables }: Engine,
  input: StoreInputs['GetItem'],
): StoreAnswers['GetItem'] {
  const table = String(input.TableName)
  const read = readConsistency(input)
  const found = tables.get(table, readKey(input.Key), read)
  const units = reportUnits(input, table, () =>
    countReadUnits(found?.bytes ?? 0, read === 'consistent'),
  )
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
    const one = reportUnits(input, table, () =>
      countBatchUnits(found, read, readConsistency(wanted)),
    )
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
): { readonly found: readonly StoredItem[]; readonly left: Record<string, unknown>[] } {
  const keys = wanted.Keys ?? []
  refuseDuplicates(keys)
  const left = leavesOut === undefined ? [] : keys.filter(() => leavesOut())
  const found: StoredItem[] = []
  let bytes = 0
  for (const key of keys) {
    if (left.includes(key)) continue
    const stored = tables.get(table, readKey(key), readConsistency(wanted))
    if (stored === undefined) continue
    bytes += stored.bytes
    if (bytes > bytesMax) left.push(key)
    else found.push(stored)
  }
  return { found, left }
}

/** Each key is a read of its own; a read that finds nothing costs as much as the smallest item. */
function countBatchUnits(found: readonly StoredItem[], keys: number, read: Consistency): number {
  const isConsistent = read === 'consistent'
  const missing = (keys - found.length) * countReadUnits(0, isConsistent)
  return found.reduce((sum, { bytes }) => sum + countReadUnits(bytes, isConsistent), missing)
}

function refuseDuplicates(keys: readonly Record<string, unknown>[]): void {
  if (keys.length > ACTIONS_MAX)
    throw makeValidationError('Too many items requested for the BatchGetItem call')
  const names = new Set(keys.map((key) => `${String(key['pk'])}\0${String(key['sk'])}`))
  if (names.size < keys.length)
    throw makeValidationError('Provided list of item keys contains duplicates')
}

export function transactGetItems(
  { tables }: Engine,
  input: StoreInputs['TransactGetItems'],
): StoreAnswers['TransactGetItems'] {
  const parts = input.TransactItems ?? []
  if (parts.length > ACTIONS_MAX) throw makeValidationError('a transaction has at most 100 actions')
  let units = 0
  const Responses = parts.map(({ Get }) => {
    const found = tables.get(String(Get?.TableName), readKey(Get?.Key), 'consistent')
    units += 2 * countReadUnits(found?.bytes ?? 0, true)
    return found === undefined ? {} : { Item: found.item }
  })
  const { ConsumedCapacity } = reportUnits(input, String(parts[0]?.Get?.TableName), () => units)
  return ConsumedCapacity === undefined
    ? { Responses }
    : { Responses, ConsumedCapacity: [ConsumedCapacity] }
}

export function readConsistency(input: { ConsistentRead?: boolean | undefined }): Consistency {
  return input.ConsistentRead === true ? 'consistent' : 'eventual'
}
