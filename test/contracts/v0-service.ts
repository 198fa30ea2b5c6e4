/**
 * The records of the earlier service as it writes, adds to and reads them. It knows nothing of
 * profiles. It is no part of the ports, since no code of this gateway writes such records.
 */
import { NumberValue } from '@aws-sdk/lib-dynamodb'
import type { StoreRequests } from '../../adapters/dynamodb/client/store-requests.ts'
import { fromUnits } from '../../core/json/decimal.ts'
import type { V0Value } from '../../core/ledger/v0.ts'

export type OldKind = 'credits' | 'tier' | 'key'

export type OldService = {
  /** `name` is a uid, or a hash. */
  put(kind: OldKind, name: string, value: V0Value): Promise<void>
  read(kind: OldKind, name: string): Promise<V0Value | undefined>
  remove(kind: OldKind, name: string): Promise<void>
  /** Adds micro-credits to a number in one atomic write; makes the record where there is none. */
  add(uid: string, micro: number): Promise<void>
}

export const number = (text: string): V0Value => ({ kind: 'number', text })
export const text = (value: string): V0Value => ({ kind: 'text', text: value })

export function oldServiceOver(requests: StoreRequests, TableName: string): OldService {
  const keyOf = (kind: OldKind, name: string) => ({ pk: `${PREFIXES[kind]}${name}`, sk: '-' })
  return {
    put: async (kind, name, value) => {
      const Item = { ...keyOf(kind, name), value: wireOf(value) }
      await requests.send('PutItem', { TableName, Item })
    },
    read: async (kind, name) => {
      const get = { TableName, Key: keyOf(kind, name), ConsistentRead: true }
      const { Item } = await requests.send('GetItem', get)
      return Item === undefined ? undefined : seenValue(Item['value'])
    },
    remove: async (kind, name) => {
      await requests.send('DeleteItem', { TableName, Key: keyOf(kind, name) })
    },
    add: async (uid, micro) => {
      await requests.send('UpdateItem', {
        TableName,
        Key: keyOf('credits', uid),
        UpdateExpression: 'ADD #value :amount',
        ExpressionAttributeNames: { '#value': 'value' },
        ExpressionAttributeValues: { ':amount': NumberValue.from(fromUnits(micro, 6)) },
      })
    },
  }
}

/** Spelled out here and not taken from table.ts, since these are another service's records. */
const PREFIXES = { credits: 'credits:', tier: 'tier:', key: 'user:uid:' } as const

function wireOf(value: V0Value): unknown {
  if (value.kind === 'other') return null
  return value.kind === 'number' ? NumberValue.from(value.text) : value.text
}

function seenValue(value: unknown): V0Value {
  if (value instanceof NumberValue) return { kind: 'number', text: value.value }
  return typeof value === 'string' ? { kind: 'text', text: value } : { kind: 'other' }
}
