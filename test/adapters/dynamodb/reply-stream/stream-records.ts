/** Records of the Sessions table as its stream carries them: keys and new images in wire form. */
import type { AttributeValue, _Record as StreamRecord } from '@aws-sdk/client-dynamodb-streams'
import { toSessionItem } from '../../../../adapters/dynamodb/records/session-item.ts'
import {
  type Key,
  replyKey,
  replyPartKey,
  sessionKey,
} from '../../../../adapters/dynamodb/table.ts'
import type { Session } from '../../../../core/session/session.ts'
import { START_MS } from '../../../core/flow/manual-clock.ts'

export function sessionAt(hash: string, more: Partial<Session> = {}): Session {
  return {
    hash,
    keyHash: 'k',
    uid: 'ada',
    sealedCredential: undefined,
    createdAtMs: START_MS,
    lastPostAtMs: START_MS,
    aliveUntilMs: START_MS + 75_000,
    endedAtMs: undefined,
    seq: 0,
    base: 0,
    pending: [],
    ...more,
  }
}

export function sessionRecord(session: Session): StreamRecord {
  return putRecord(sessionKey(session.hash), { ...toSessionItem(session) })
}

export function replyRecord(
  hash: string,
  seq: number,
  sealed: Uint8Array,
  more: { readonly parts?: number; readonly ttl?: number } = {},
): StreamRecord {
  const ttl = START_MS / 1_000 + 3_600
  const item = { seq, writer: 'w', parts: 1, data: sealed, ttl, ...more }
  return putRecord(replyKey(hash, seq), item)
}

export function partRecord(hash: string, seq: number, part: number): StreamRecord {
  return putRecord(replyPartKey(hash, seq, 'w', part), { part, data: new Uint8Array([part]) })
}

export function putRecord(key: Key, item: { readonly [name: string]: unknown }): StreamRecord {
  const NewImage = wireMap({ ...key, ...item })
  return { eventName: 'INSERT', dynamodb: { Keys: wireMap(key), NewImage } }
}

export function removeRecord(key: Key): StreamRecord {
  return { eventName: 'REMOVE', dynamodb: { Keys: wireMap(key) } }
}

function wireMap(item: { readonly [name: string]: unknown }): Record<string, AttributeValue> {
  return Object.fromEntries(
    Object.entries(item).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, wire(value)]],
    ),
  )
}

function wire(value: unknown): AttributeValue {
  if (typeof value === 'string') return { S: value }
  if (typeof value === 'number') return { N: String(value) }
  if (typeof value === 'boolean') return { BOOL: value }
  if (value instanceof Uint8Array) return { B: value }
  if (Array.isArray(value)) return { L: value.map(wire) }
  return { M: wireMap({ ...(value as object) }) }
}
