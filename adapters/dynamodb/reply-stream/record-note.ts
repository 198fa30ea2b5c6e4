/**
 * Turns a record of the Sessions table's stream into a note for its session. A `look` note makes
 * the tail read its partition. Records of leases and stored answers belong to no session. Nothing
 * sealed is opened.
 *
 *   meta       new image  → the session       removed → look (TTL, or by hand)
 *   reply#n    one item   → the reply         in parts → look: its parts are items of their own
 *   reply#n#…  a part     → nothing: its head comes after it
 */
import type { _Record as StreamRecord } from '@aws-sdk/client-dynamodb-streams'
import { toSessionExpiryMs } from '../../../core/session/limits.ts'
import type { FeedNote } from '../../../core/session/stream-tail.ts'
import { bytesAt, type Item, intAt, isExpired, readWireItem } from '../client/item.ts'
import { fromSessionItem } from '../records/session-item.ts'
import { replyKey, SESSION_PK, sessionKey } from '../table.ts'

const LOOK: FeedNote = { kind: 'look' }

/** The hash of the record's session; undefined for a record of another kind. */
export function readSessionHash(record: StreamRecord): string | undefined {
  const pk = record.dynamodb?.Keys?.['pk']?.S
  return pk?.startsWith(SESSION_PK) === true ? pk.slice(SESSION_PK.length) : undefined
}

/** Undefined for a record that tails do not need. Throws `Fault` for a malformed item. */
export function toFeedNote(
  record: StreamRecord,
  hash: string,
  nowMs: number,
): FeedNote | undefined {
  const { Keys, NewImage } = record.dynamodb ?? {}
  const isSession = Keys?.['sk']?.S === sessionKey(hash).sk
  // Only TTL removes replies, an hour after the last wait for them.
  if (record.eventName === 'REMOVE') return isSession ? LOOK : undefined
  // An operator configured the stream with keys only: the partition has the rest of the item.
  if (NewImage === undefined) return LOOK
  const item = readWireItem(NewImage)
  return isSession ? toSessionNote(item, nowMs) : toReplyNote(item, hash, nowMs)
}

function toSessionNote(item: Item, nowMs: number): FeedNote {
  const session = fromSessionItem(item)
  return toSessionExpiryMs(session) <= nowMs ? LOOK : { kind: 'session', session }
}

function toReplyNote(item: Item, hash: string, nowMs: number): FeedNote | undefined {
  const isHead = item['parts'] !== undefined
  if (!isHead || isExpired(item, nowMs)) return undefined
  const seq = intAt(item, 'seq')
  if (item['sk'] !== replyKey(hash, seq).sk) return undefined
  if (intAt(item, 'parts') > 1) return LOOK
  return { kind: 'reply', reply: { seq, sealed: bytesAt(item, 'data') } }
}
