/** An item as the adapters write it, in the model's wire form. */
import { NumberValue } from '@aws-sdk/lib-dynamodb'
import type { Value, WireItem } from './wire.ts'

export function wireItemOf(item: { readonly [name: string]: unknown }): WireItem {
  const present = Object.entries(item).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present.map(([name, value]) => [name, wireOf(value)]))
}

function wireOf(value: unknown): Value {
  if (typeof value === 'string') return { S: value }
  if (typeof value === 'number') return { N: String(value) }
  if (typeof value === 'boolean') return { BOOL: value }
  if (value instanceof NumberValue) return { N: value.value }
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return { L: value.map(wireOf) }
  if (typeof value === 'object' && value !== null) return { M: wireItemOf({ ...value }) }
  return { NULL: true }
}
