/**
 * session:{hash}/reply#{seq}: the replies that a stream waits for. A reply that is too long for one
 * item is split; its head is written last, so a head without its parts cannot exist. Replies are
 * sealed and never opened here. Bound by docs/service.md, Reply delivery.
 */
import { randomBytes } from 'node:crypto'
import { Fault } from '../../../core/errors.ts'
import type { ReplyStream } from '../../../core/ports/sessions.ts'
import { REPLY_ITEMS_PER_READ, REPLY_TTL_SEC } from '../../../core/session/limits.ts'
import { tailPartition } from '../../../core/session/partition-tail.ts'
import type { StoredReply } from '../../../core/session/session.ts'
import type { FoundReplies, PartitionReads } from '../../../core/session/tail-state.ts'
import type { SeqRange } from '../../../core/session/watermark.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { bytesAt, type Item, intAt, isExpired, optionalTextAt, textAt } from '../client/item.ts'
import { joinParts, splitParts } from '../client/split-bytes.ts'
import type { Permissions } from '../permission.ts'
import { replyKey, replyPartKey, replyRange, SESSION_PK, sessionKey } from '../table.ts'
import { readSession } from './sessions.ts'

export const REPLIES_PERMISSIONS: Permissions<ReplyStream> = {
  append: [{ table: 'sessions', actions: ['PutItem'], keyPrefixes: [SESSION_PK] }],
  tail: [{ table: 'sessions', actions: ['GetItem', 'Query'], keyPrefixes: [SESSION_PK] }],
}

/** `tail` replaces the `partition` tail (core/session/partition-tail.ts). */
export function dynamoReplies(store: DynamoStore, tail?: ReplyStream['tail']): ReplyStream {
  const onTrouble = (cause: unknown) => store.onTrouble(cause)
  return {
    append: (reply) => append(store, reply),
    tail:
      tail ??
      ((hash, signal) =>
        tailPartition(makePartitionReads(store, hash), store.clock, signal, { onTrouble })),
  }
}

/** The reads of one session's partition, for both tails. */
export function makePartitionReads(store: DynamoStore, hash: string): PartitionReads {
  return {
    readSession: (consistent) => readSession(store, hash, consistent ? 'consistent' : 'eventual'),
    repliesIn: (range) => repliesIn(store, hash, range),
  }
}

/**
 * Two writers of one seq (a late answer and the stream's own):
 *
 *   A: parts#a… ── head ✔ appended        B: parts#b… ── head refused ── taken
 *
 * Each writer names its parts after itself, so the loser overwrites nothing; readers skip its
 * parts, and TTL removes them. A head that is repeated after a lost answer finds the name of its
 * own writer: appended. Dying before the head: readers skip the parts, and the stream answers the
 * request after 16 s.
 */
async function append(
  store: DynamoStore,
  { hash, seq, sealed }: { hash: string } & StoredReply,
): Promise<'appended' | 'taken'> {
  const table = store.tables.sessions
  const writer = randomBytes(9).toString('base64url')
  const ttl = Math.ceil(store.clock.nowMs() / 1000) + REPLY_TTL_SEC
  const [first, ...rest] = splitParts('reply', sealed)
  for (const [index, data] of rest.entries()) {
    const part = index + 1
    await store.put(table, { item: { ...replyPartKey(hash, seq, writer, part), part, data, ttl } })
  }
  const answer = await store.put(table, {
    item: { ...replyKey(hash, seq), seq, writer, parts: rest.length + 1, data: first, ttl },
    if: 'attribute_not_exists(#pk)',
  })
  if (answer.kind === 'written') return 'appended'
  const storedWriter = answer.old === undefined ? undefined : optionalTextAt(answer.old, 'writer')
  return storedWriter === writer ? 'appended' : 'taken'
}

/**
 * In key order a head comes before its parts, and it was written after them, so no part is missed.
 * The last reply of a read that reached its limit may lack parts, so the next read returns it.
 */
async function repliesIn(store: DynamoStore, hash: string, range: SeqRange): Promise<FoundReplies> {
  const items = await store.query(store.tables.sessions, {
    where: '#pk = :pk AND #sk BETWEEN :from AND :to',
    values: { pk: sessionKey(hash).pk, ...replyRange(range) },
    limit: REPLY_ITEMS_PER_READ,
  })
  const last = items.length < REPLY_ITEMS_PER_READ ? undefined : items.at(-1)
  const whole =
    last === undefined ? items : items.filter((item) => readSeqText(item) !== readSeqText(last))
  const live = whole.filter((item) => !isExpired(item, store.clock.nowMs()))
  const byKey = new Map(live.map((item) => [item['sk'], item]))
  const heads = live.filter((item) => item['parts'] !== undefined)
  const replies = heads.map((head) => joinReply(hash, head, byKey))
  return { replies, isCut: last !== undefined && replies.length > 0 }
}

/** The seq in a sort key, which a head and its parts share. */
function readSeqText(item: Item): string {
  return textAt(item, 'sk').split('#')[1] ?? ''
}

function joinReply(hash: string, head: Item, byKey: ReadonlyMap<unknown, Item>): StoredReply {
  const seq = intAt(head, 'seq')
  const writer = optionalTextAt(head, 'writer') ?? ''
  const chunks = [bytesAt(head, 'data')]
  for (let part = 1; part < intAt(head, 'parts'); part += 1) {
    const item = byKey.get(replyPartKey(hash, seq, writer, part).sk)
    if (item === undefined) throw new Fault('internal', `reply#${seq}: part ${part} is missing`)
    chunks.push(bytesAt(item, 'data'))
  }
  return { seq, sealed: joinParts(chunks) }
}
