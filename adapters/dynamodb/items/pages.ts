/** Query and Scan: each returns one page, which ends at `Limit` items or at 1 MB, as on AWS. */
import type { StoreAnswers, StoreInputs } from '../client/store-requests.ts'
import type { Key } from '../table.ts'
import { type Bindings, readBindings } from './bindings.ts'
import { compileCondition, type Test } from './compile-condition.ts'
import { compileProjection } from './compile-update.ts'
import { type Consistency, type Engine, readKey, type StoredItem } from './item-tables.ts'
import { readKeyRange } from './key-range.ts'
import { readConsistency } from './reads.ts'
import { countReadUnits, PAGE_BYTES_MAX, reportUnits } from './size.ts'
import type { ValueMap } from './value.ts'

type Page = Pick<StoreAnswers['Query'], 'Items' | 'Count' | 'ScannedCount' | 'LastEvaluatedKey'>

export function query(engine: Engine, input: StoreInputs['Query']): StoreAnswers['Query'] {
  const { FilterExpression, KeyConditionExpression = '', ProjectionExpression } = input
  const table = String(input.TableName)
  const texts = [KeyConditionExpression, FilterExpression, ProjectionExpression]
  const bound = readBindings(input, texts)
  const read = readConsistency(input)
  const start = readStartKey(input)
  const range = {
    ...readKeyRange(KeyConditionExpression, bound),
    backwards: input.ScanIndexForward === false,
    after: start?.sk,
  }
  const fits = compileCondition(KeyConditionExpression)
  const found = engine.tables.range(table, range, read)
  const page = makePage(engine, filterItems(found, fits, bound), input, bound)
  return { ...page.answer, ...reportReadUnits(input, table, page.bytes, read) }
}

export function scan(engine: Engine, input: StoreInputs['Scan']): StoreAnswers['Scan'] {
  const table = String(input.TableName)
  const bound = readBindings(input, [input.FilterExpression, input.ProjectionExpression])
  const page = makePage(engine, engine.tables.scan(table, readStartKey(input)), input, bound)
  return { ...page.answer, ...reportReadUnits(input, table, page.bytes, readConsistency(input)) }
}

function readStartKey({
  ExclusiveStartKey: start,
}: {
  ExclusiveStartKey?: Record<string, unknown> | undefined
}): Key | undefined {
  return start === undefined ? undefined : readKey(start)
}

/** Tests each item, because the range includes bounds that the condition may exclude. */
function* filterItems(
  found: Iterable<StoredItem>,
  fits: Test,
  bound: Bindings,
): Iterable<StoredItem> {
  for (const stored of found) if (fits({ item: stored.item, ...bound })) yield stored
}

/** `Limit` and bytes apply to the items that are read, before the filter. */
function makePage(
  engine: Engine,
  found: Iterable<StoredItem>,
  input: {
    FilterExpression?: string | undefined
    ProjectionExpression?: string | undefined
    Limit?: number | undefined
  },
  bound: Bindings,
): { readonly answer: Page; readonly bytes: number } {
  const { FilterExpression, Limit, ProjectionExpression } = input
  const itemsMax = Math.min(
    Limit ?? Number.POSITIVE_INFINITY,
    engine.pageItemsMax ?? Number.POSITIVE_INFINITY,
  )
  const { bytes, isCut, read } = readPage(found, itemsMax)
  const passes = FilterExpression === undefined ? undefined : compileCondition(FilterExpression)
  const passed = passes === undefined ? read : read.filter((item) => passes({ item, ...bound }))
  const project =
    ProjectionExpression === undefined ? undefined : compileProjection(ProjectionExpression)
  const Items =
    project === undefined ? [...passed] : passed.map((item) => project(item, bound.names))
  const answer = { Items, Count: Items.length, ScannedCount: read.length }
  return { answer: isCut ? { ...answer, LastEvaluatedKey: readKey(read.at(-1)) } : answer, bytes }
}

function readPage(found: Iterable<StoredItem>, itemsMax: number) {
  const read: ValueMap[] = []
  let bytes = 0
  for (const stored of found) {
    bytes += stored.bytes
    read.push(stored.item)
    if (read.length >= itemsMax || bytes >= PAGE_BYTES_MAX) return { read, bytes, isCut: true }
  }
  return { read, bytes, isCut: false }
}

function reportReadUnits(
  input: Parameters<typeof reportUnits>[0],
  table: string,
  bytes: number,
  read: Consistency,
) {
  return reportUnits(input, table, () => countReadUnits(bytes, read === 'consistent'))
}
