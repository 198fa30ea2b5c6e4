/**
 * session:{hash}/meta as an item. `writeTokens` has an entry for each entry of `pending`: the token
 * of the write that accepted the request. By this token a write that was sent twice is recognised.
 */
import { SESSION_TTL_SEC } from '../../../core/session/limits.ts'
import type { PendingRequest, Session } from '../../../core/session/session.ts'
import {
  flagAt,
  type Item,
  intAt,
  mapsAt,
  optionalBytesAt,
  optionalIntAt,
  optionalTextAt,
  textAt,
  textsAt,
} from '../client/item.ts'
import { sessionKey } from '../table.ts'

export function toSessionItem(session: Session): Item {
  return {
    ...sessionKey(session.hash),
    ...session,
    // One write token for each request, so that both lists have the same length from the start.
    writeTokens: session.pending.map(() => '-'),
    ttl: toSessionTtlSec(session.aliveUntilMs),
  }
}

/**
 * The second (epoch) from which TTL may delete the record: later than any read returns it. An
 * accepted POST does not change it, because a session accepts POSTs only while its stream renews
 * it.
 */
export function toSessionTtlSec(aliveUntilMs: number): number {
  return Math.ceil(aliveUntilMs / 1000) + SESSION_TTL_SEC
}

export function fromSessionItem(item: Item): Session {
  const client = optionalTextAt(item, 'client')
  return {
    hash: textAt(item, 'hash'),
    keyHash: textAt(item, 'keyHash'),
    uid: optionalTextAt(item, 'uid'),
    sealedCredential: optionalBytesAt(item, 'sealedCredential'),
    ...(client === undefined ? {} : { client }),
    createdAtMs: intAt(item, 'createdAtMs'),
    lastPostAtMs: intAt(item, 'lastPostAtMs'),
    aliveUntilMs: intAt(item, 'aliveUntilMs'),
    endedAtMs: optionalIntAt(item, 'endedAtMs'),
    seq: intAt(item, 'seq'),
    base: intAt(item, 'base'),
    pending: mapsAt(item, 'pending').map(fromPendingItem),
  }
}

/** The session right after the write with this token; undefined if the item lacks that write. */
export function findSessionAfterWrite(item: Item, writeToken: string): Session | undefined {
  const index = textsAt(item, 'writeTokens').indexOf(writeToken)
  if (index < 0) return undefined
  const session = fromSessionItem(item)
  return {
    ...session,
    seq: session.base + index + 1,
    pending: session.pending.slice(0, index + 1),
  }
}

function fromPendingItem(item: Item): PendingRequest {
  return {
    id: textAt(item, 'id'),
    postedAtMs: intAt(item, 'postedAtMs'),
    calls: flagAt(item, 'calls'),
  }
}
