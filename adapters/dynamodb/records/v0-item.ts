/** The attribute `value` of the earlier service's records, read as it is and written as it was. */
import { NumberValue } from '@aws-sdk/lib-dynamodb'
import type { LegacyValue } from '../../../core/ledger/v0.ts'
import type { Item } from '../client/item.ts'

export function legacyValueOf(item: Item): LegacyValue {
  const { value } = item
  if (value instanceof NumberValue) return { kind: 'number', text: value.value }
  return typeof value === 'string' ? { kind: 'text', text: value } : { kind: 'other' }
}

/** A number stays a number and a text a text: the old readers go on reading it. */
export function storedLegacyValue(value: LegacyValue): unknown {
  if (value.kind === 'other') return null
  return value.kind === 'number' ? NumberValue.from(value.text) : value.text
}
