/**
 * Reads the item that DynamoDB returns with a refused condition: the SDK's document client leaves
 * it in wire form (`{N: '1'}`). Knows the types this gateway stores, no sets.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { Fault } from '../../../core/errors.ts'
import type { Item } from './item.ts'

export function itemFromWire(wire: { [name: string]: AttributeValue }): Item {
  return Object.fromEntries(Object.entries(wire).map(([name, value]) => [name, plain(value)]))
}

function plain(value: AttributeValue): unknown {
  if (value.S !== undefined) return value.S
  if (value.N !== undefined) return NumberValue.from(value.N)
  if (value.B !== undefined) return value.B
  if (value.BOOL !== undefined) return value.BOOL
  if (value.M !== undefined) return itemFromWire(value.M)
  if (value.L !== undefined) return value.L.map(plain)
  if (value.NULL !== undefined) return null
  throw new Fault('internal', 'stored item: has an attribute type that this gateway never writes')
}
