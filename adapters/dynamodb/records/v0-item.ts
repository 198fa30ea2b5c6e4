/** The attribute `value` of the earlier service's records, which keeps its type, number or text. */
import { NumberValueImpl as NumberValue } from '@aws-sdk/util-dynamodb'
import type { V0Value } from '../../../core/ledger/v0.ts'
import type { Item } from '../client/item.ts'

export function readV0Value(item: Item): V0Value {
  const { value } = item
  if (value instanceof NumberValue) return { kind: 'number', text: value.value }
  return typeof value === 'string' ? { kind: 'text', text: value } : { kind: 'other' }
}

/** The value with its own type, so that the earlier service can still read it. */
export function toStoredV0Value(value: V0Value): unknown {
  if (value.kind === 'other') return null
  return value.kind === 'number' ? NumberValue.from(value.text) : value.text
}
