/**
 * Random requests over a few small items: every kind of clause that the adapters write, on items
 * that meet it and items that do not.
 */
import type { Random } from '../random.ts'

type RandomRequest = {
  readonly operation: string
  readonly body: { readonly [name: string]: unknown }
  /** Tells apart the clauses, so that a test can see which were met. */
  readonly form: string
}

const NAMES = { '#pk': 'pk', '#sk': 'sk', '#n': 'n', '#s': 's', '#m': 'm', '#l': 'l', '#e': 'e' }

const CONDITIONS = [
  'attribute_exists(#pk)',
  'attribute_not_exists(#pk)',
  '#n = :n',
  '#n < :n',
  '#n <= :n OR attribute_not_exists(#e)',
  '#s = :s',
  '(#s = :s OR #s = :n)',
  'attribute_exists(#m.#e)',
  'attribute_not_exists(#m.#e)',
  'attribute_exists(#pk) AND size(#m) < :one AND #n >= :n',
  'size(#l) < :two',
  'NOT contains(#l, :s)',
  'begins_with(#s, :a) AND NOT #n > :n',
  '#m.#e.#n = :n AND #n <> :one',
  '#s BETWEEN :a AND :s',
] as const

const UPDATES = [
  'SET #n = :n',
  'SET #n = #n + :one, #s = :s',
  'SET #n = #n - :n',
  'SET #m.#e = :map, #n = :one',
  'SET #n = #n + #m.#e.#n REMOVE #m.#e',
  'REMOVE #m.#e SET #s = :s',
  'REMOVE #e, #s',
  'SET #l = list_append(#l, :list), #n = #n + :one',
  'SET #n = :one REMOVE #l[1], #l[0]',
  'SET #s = :s ADD #n :one',
] as const

export function randomRequest(random: Random, table: string): RandomRequest {
  const make = random.pick([put, update, update, update, remove, get, batch, query, scan, transact])
  return make(random, table)
}

function keyOf(random: Random) {
  return { pk: { S: `p${random.below(3)}` }, sk: { S: random.pick(['-', 'a', 'a#1', 'b']) } }
}

function number(random: Random) {
  return { N: random.pick(['0', '1', '1.50', '2.000001', '-3', '12345678901.000001', '1e2']) }
}

function text(random: Random) {
  return { S: random.pick(['a', 'ab', 'b', 'ä', 'zz']) }
}

function itemOf(random: Random) {
  const parts = {
    n: number(random),
    s: text(random),
    m: { M: random.chance(0.5) ? { e: { M: { n: number(random) } } } : {} },
    l: { L: [text(random), text(random), number(random)].slice(random.below(3)) },
    b: { B: new Uint8Array([0, random.below(256), 255]) },
    e: random.pick([{ BOOL: true }, { NULL: true as const }, text(random)]),
  }
  const kept = Object.entries(parts).filter(() => random.chance(0.8))
  return { ...keyOf(random), ...Object.fromEntries(kept) }
}

const VALUES = (random: Random) => ({
  ':n': number(random),
  ':s': text(random),
  ':a': { S: 'a' },
  ':one': { N: '1' },
  ':two': { N: '2' },
  ':map': { M: { n: number(random) } },
  ':list': { L: [text(random)] },
})

/** The emulator refuses names and values that no expression uses. */
function bindings(random: Random, texts: readonly string[]) {
  const used = new Set(texts.flatMap((one) => one.match(/[#:]\w+/g) ?? []))
  const pick = (all: object) => Object.entries(all).filter(([name]) => used.has(name))
  const [names, values] = [pick(NAMES), pick(VALUES(random))]
  return {
    ...(names.length === 0 ? {} : { ExpressionAttributeNames: Object.fromEntries(names) }),
    ...(values.length === 0 ? {} : { ExpressionAttributeValues: Object.fromEntries(values) }),
  }
}

function conditionOf(random: Random): string | undefined {
  return random.chance(0.25) ? undefined : random.pick(CONDITIONS)
}

function conditional(random: Random, condition: string | undefined, update?: string) {
  const texts = [condition, update].filter((one) => one !== undefined)
  return {
    ...(condition === undefined ? {} : { ConditionExpression: condition }),
    ...(condition === undefined ? {} : { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
    ...(update === undefined ? {} : { UpdateExpression: update }),
    ...bindings(random, texts),
  }
}

function put(random: Random, TableName: string): RandomRequest {
  const condition = conditionOf(random)
  const body = { TableName, Item: itemOf(random), ReturnValues: 'ALL_OLD' }
  const form = condition ?? 'always'
  return { operation: 'PutItem', body: { ...body, ...conditional(random, condition) }, form }
}

function update(random: Random, TableName: string): RandomRequest {
  const [condition, set] = [conditionOf(random), random.pick(UPDATES)]
  const body = { TableName, Key: keyOf(random), ReturnValues: 'ALL_NEW' }
  const form = `${set} if ${condition ?? 'always'}`
  return {
    operation: 'UpdateItem',
    body: { ...body, ...conditional(random, condition, set) },
    form,
  }
}

function remove(random: Random, TableName: string): RandomRequest {
  const condition = conditionOf(random)
  const body = { TableName, Key: keyOf(random), ReturnValues: 'ALL_OLD' }
  const form = condition ?? 'always'
  return { operation: 'DeleteItem', body: { ...body, ...conditional(random, condition) }, form }
}

function get(random: Random, TableName: string): RandomRequest {
  const body = { TableName, Key: keyOf(random), ConsistentRead: true }
  return { operation: 'GetItem', body, form: '' }
}

function distinctKeys(random: Random) {
  const keys = Array.from({ length: 1 + random.below(3) }, () => keyOf(random))
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()]
}

function batch(random: Random, TableName: string): RandomRequest {
  if (random.chance(0.5)) {
    const TransactItems = distinctKeys(random).map((Key) => ({ Get: { TableName, Key } }))
    return { operation: 'TransactGetItems', body: { TransactItems }, form: '' }
  }
  const wanted = { Keys: distinctKeys(random), ConsistentRead: true }
  return { operation: 'BatchGetItem', body: { RequestItems: { [TableName]: wanted } }, form: '' }
}

function query(random: Random, TableName: string): RandomRequest {
  const condition = random.pick([
    '#pk = :pk',
    '#pk = :pk AND #sk > :a',
    '#pk = :pk AND begins_with(#sk, :a)',
    '#pk = :pk AND #sk BETWEEN :a AND :s',
  ])
  const { ExpressionAttributeValues, ...names } = bindings(random, [condition])
  const values = { ...ExpressionAttributeValues, ':pk': keyOf(random).pk }
  const body = {
    TableName,
    ConsistentRead: true,
    KeyConditionExpression: condition,
    ExpressionAttributeValues: values,
    ...names,
    ...(random.chance(0.5) ? { ScanIndexForward: false } : {}),
    ...(random.chance(0.5) ? { Limit: 1 + random.below(3) } : {}),
  }
  return { operation: 'Query', body, form: condition }
}

function scan(random: Random, TableName: string): RandomRequest {
  const filter = random.pick(['begins_with(#s, :a) OR #n < :n', '#s = :s'])
  const only = '#pk, #sk, #n'
  const body = {
    TableName,
    ConsistentRead: true,
    FilterExpression: filter,
    ProjectionExpression: only,
    Select: 'SPECIFIC_ATTRIBUTES',
    ...bindings(random, [filter, only]),
  }
  return { operation: 'Scan', body, form: filter }
}

function transact(random: Random, TableName: string): RandomRequest {
  const TransactItems = distinctKeys(random).map((Key) => {
    const condition = random.pick(CONDITIONS)
    if (random.chance(0.4)) {
      const Item = { ...itemOf(random), ...Key }
      return { Put: { TableName, Item, ...conditional(random, condition) } }
    }
    const set = random.pick(UPDATES)
    return { Update: { TableName, Key, ...conditional(random, condition, set) } }
  })
  return {
    operation: 'TransactWriteItems',
    body: { TransactItems },
    form: `${TransactItems.length}`,
  }
}
