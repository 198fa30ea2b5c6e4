/**
 * Inputs and answers of the operations between plain values and DynamoDB's JSON: which of their members hold
 * items. All other members cross as they are.
 */
import { type PlainItem, plainItem, type WireItem, wireItem } from './wire-value.ts'

type Members = { readonly [member: string]: unknown }

/** Members of inputs that are items, or maps of values. */
const ITEMS: ReadonlySet<string> = new Set([
  'ExclusiveStartKey',
  'ExpressionAttributeValues',
  'Item',
  'Key',
])

/** The body of a request. Leaves undefined members out. */
export function requestText(input: object): string {
  return JSON.stringify(wireInput(input))
}

function wireInput(input: object): Members {
  const wire: { [member: string]: unknown } = {}
  for (const [member, value] of Object.entries(input)) {
    wire[member] = wireMember(member, value)
  }
  return wire
}

function wireMember(member: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (ITEMS.has(member)) return wireItem(value)
  switch (member) {
    case 'Keys':
      return listOf(value).map((key) => wireItem(objectOf(key)))
    case 'RequestItems':
      return mapValues(value, (wanted) => wireInput(objectOf(wanted)))
    case 'TransactItems':
      return listOf(value).map((part) => mapValues(objectOf(part), (of) => wireInput(objectOf(of))))
    default:
      return value
  }
}

/** A parsed answer with its items made plain, in place. */
export function plainAnswer(answer: { [member: string]: unknown }): Members {
  for (const member in answer) answer[member] = plainMember(member, answer[member])
  return answer
}

function plainMember(member: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  switch (member) {
    case 'Attributes':
    case 'Item':
    case 'LastEvaluatedKey':
      return plain(value)
    case 'Items':
      return listOf(value).map(plain)
    case 'Responses':
      // A list of {Item} from TransactGetItems, a list of items by table from BatchGetItem.
      return Array.isArray(value)
        ? value.map((one) => plainAnswer({ ...objectOf(one) }))
        : mapValues(value, (items) => listOf(items).map(plain))
    case 'UnprocessedKeys':
      return mapValues(value, (left) => ({
        ...objectOf(left),
        Keys: listOf(Reflect.get(objectOf(left), 'Keys')).map(plain),
      }))
    default:
      return value
  }
}

/** A cast, as in any parser: DynamoDB's own answer. */
function plain(wire: unknown): PlainItem {
  return plainItem(objectOf(wire) as WireItem)
}

function mapValues(of: object, change: (value: unknown) => unknown): Members {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value)]))
}

function objectOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
