/**
 * Converts inputs and answers of DynamoDB's operations between plain values and DynamoDB's JSON.
 * Only members that hold items are converted; all other members stay as they are.
 */
import { type PlainItem, toPlainItem, toWireItem, type WireItem } from './wire-value.ts'

type Members = { readonly [member: string]: unknown }

/** Members of inputs that are items or maps of values. */
const ITEM_MEMBERS: ReadonlySet<string> = new Set([
  'ExclusiveStartKey',
  'ExpressionAttributeValues',
  'Item',
  'Key',
])

/** The body of a request, as JSON text without undefined members. */
export function writeRequestText(input: object): string {
  return JSON.stringify(toWireInput(input))
}

function toWireInput(input: object): Members {
  const wire: { [member: string]: unknown } = {}
  for (const [member, value] of Object.entries(input)) {
    wire[member] = toWireMember(member, value)
  }
  return wire
}

function toWireMember(member: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (ITEM_MEMBERS.has(member)) return toWireItem(value)
  switch (member) {
    case 'Keys':
      return asList(value).map((key) => toWireItem(asObject(key)))
    case 'RequestItems':
      return mapValues(value, (wanted) => toWireInput(asObject(wanted)))
    case 'TransactItems':
      return asList(value).map((part) =>
        mapValues(asObject(part), (of) => toWireInput(asObject(of))),
      )
    default:
      return value
  }
}

/** Makes the items in a parsed answer plain. Changes the answer in place and returns it. */
export function toPlainAnswer(answer: { [member: string]: unknown }): Members {
  for (const member in answer) answer[member] = toPlainMember(member, answer[member])
  return answer
}

function toPlainMember(member: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  switch (member) {
    case 'Attributes':
    case 'Item':
    case 'LastEvaluatedKey':
      return readPlainItem(value)
    case 'Items':
      return asList(value).map(readPlainItem)
    case 'Responses':
      // A list of {Item} from TransactGetItems, a list of items by table from BatchGetItem.
      return Array.isArray(value)
        ? value.map((one) => toPlainAnswer({ ...asObject(one) }))
        : mapValues(value, (items) => asList(items).map(readPlainItem))
    case 'UnprocessedKeys':
      return mapValues(value, (left) => ({
        ...asObject(left),
        Keys: asList(Reflect.get(asObject(left), 'Keys')).map(readPlainItem),
      }))
    default:
      return value
  }
}

/** It casts, as any parser does: this is DynamoDB's own answer. */
function readPlainItem(wire: unknown): PlainItem {
  return toPlainItem(asObject(wire) as WireItem)
}

function mapValues(of: object, change: (value: unknown) => unknown): Members {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value)]))
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
