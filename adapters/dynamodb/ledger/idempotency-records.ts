/**
 * answer:{id}: the first answer of a call with an Idempotency-Key. The head item is the claim, and
 * further items hold the parts of a long answer. The head is written after the parts, which makes
 * the answer visible. This file never opens a sealed answer. Bound by docs/service.md,
 * Idempotency-Key, and docs/design/ledger.md#idempotency-key.
 */
import { randomBytes } from 'node:crypto'
import {
  ANSWER_TTL_SEC,
  type AnswerClaim,
  type KeptAnswer,
  type StoredAnswer,
} from '../../../core/call/idempotency.ts'
import { Fault } from '../../../core/errors.ts'
import type { IdempotencyRecords } from '../../../core/ports/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { ExpressionValues } from '../client/expression.ts'
import { bytesAt, type Item, intAt, textAt, wordAt } from '../client/item.ts'
import { joinParts, splitParts } from '../client/split-bytes.ts'
import type { Permissions } from '../permission.ts'
import { ANSWER_PK, answerKey, answerPartKey, answerPartsPrefix } from '../table.ts'

type Claim = Parameters<IdempotencyRecords['claim']>[0]
type ClaimOutcome = Awaited<ReturnType<IdempotencyRecords['claim']>>
type KeepRequest = Parameters<IdempotencyRecords['keep']>[0]
type DropRequest = Parameters<IdempotencyRecords['drop']>[0]

export const IDEMPOTENCY_RECORD_PERMISSIONS: Permissions<IdempotencyRecords> = {
  claim: [{ table: 'sessions', actions: ['PutItem', 'Query'], keyPrefixes: [ANSWER_PK] }],
  find: [{ table: 'sessions', actions: ['GetItem', 'Query'], keyPrefixes: [ANSWER_PK] }],
  keep: [{ table: 'sessions', actions: ['PutItem', 'UpdateItem'], keyPrefixes: [ANSWER_PK] }],
  keepTask: [{ table: 'sessions', actions: ['UpdateItem'], keyPrefixes: [ANSWER_PK] }],
  drop: [{ table: 'sessions', actions: ['DeleteItem'], keyPrefixes: [ANSWER_PK] }],
}

/** `whole`: the answer is stored in `parts` parts, and the head contains the first part. */
const KEPT_STATES = ['whole', 'too_large', 'interrupted'] as const

/** Stores the records in the table `sessions`. Throws `Fault` if the store fails. */
export function dynamoIdempotencyRecords(store: DynamoStore): IdempotencyRecords {
  return {
    claim: (request) => claim(store, request),
    find: (id) => find(store, id),
    keep: (kept) => keep(store, kept),

    // Before the client hears of the task. Dying before: the call dies, too, and is interrupted for
    // repeats. A copy that comes late finds another claim or an answer, or writes the same id
    // again.
    async keepTask({ id, sealed, writeToken }) {
      return store.change(store.tables.sessions, {
        key: answerKey(id),
        set: 'SET #task = :task',
        if: '#writeToken = :writeToken AND attribute_not_exists(#kept)',
        values: { task: sealed, writeToken },
      })
    },

    drop: (request) => drop(store, request),
  }
}

/**
 * Two attempts with one key write the same item, so one of them is first.
 *
 *   A: head ✔ claimed ───────────────▶ runs              a day later, C: head replaced ✔ claimed
 *   B:    └─ refused by A's head ─▶ standing: not yet, or the answer that A stored
 *
 * If A's write is sent again after a lost answer, the stored head refuses it and has A's write
 * token: the result is `claimed`. A copy of A's write that arrives after A stored its answer is
 * refused too, and the answer stays. A copy that arrives after A dropped its claim makes a claim
 * without a running call, as if A had died. Repeats see the age of that claim and void the call,
 * which has no hold. If A dies before the write, there is no claim. If A dies after the write, the
 * claim has no running call. Expiry depends on the attribute `claimedAtMs`, because DynamoDB's TTL
 * deletes late. The parts of a replaced answer have other sort keys, and TTL deletes them.
 *
 * `over` replaces the record of a call that its caller took back. The write requires that record's
 * token:
 *
 *   B: head of A replaced ✔ claimed ──▶ runs      A's late keep or drop: refused by B's token
 *   C:    └─ refused by B's head ─▶ standing      a late copy of B's claim: refused, the head no longer has A's token
 */
async function claim(store: DynamoStore, { over, ...request }: Claim): Promise<ClaimOutcome> {
  const isFree = 'attribute_not_exists(#pk) OR #claimedAtMs <= :expiredMs'
  const answer = await store.put(store.tables.sessions, {
    item: claimItem(request),
    if: over === undefined ? isFree : `${isFree} OR #writeToken = :over`,
    values: {
      expiredMs: request.claimedAtMs - ANSWER_TTL_SEC * 1_000,
      ...(over === undefined ? {} : { over }),
    },
  })
  if (answer.kind === 'written') return { kind: 'claimed' }
  if (answer.old === undefined) throw new Fault('internal', 'store: refused by no item')
  const standing = await storedFrom(store, answer.old)
  const isOwn = standing.kept === 'not-yet' && standing.writeToken === request.writeToken
  return isOwn ? { kind: 'claimed' } : { kind: 'standing', answer: standing }
}

async function find(store: DynamoStore, id: string): Promise<StoredAnswer | undefined> {
  const head = await store.get(store.tables.sessions, answerKey(id), 'consistent')
  return head === undefined ? undefined : storedFrom(store, head)
}

async function storedFrom(store: DynamoStore, head: Item): Promise<StoredAnswer> {
  const kept = head['kept'] === undefined ? 'not-yet' : await keptIn(store, head)
  const task = head['task'] === undefined ? {} : { task: bytesAt(head, 'task') }
  return { ...claimFrom(head), kept, ...task }
}

/**
 * Only the attempt with the claim may store an answer, and only once. A reader sees the whole
 * answer or `not-yet`:
 *
 *   A: part ── part ── head ✔ stored               the same write again: refused, the answer stays
 *   B:    └─ not yet     └─ the whole answer       keep of a dropped or replaced claim: refused, no change
 *
 * Each `keep` uses new sort keys for its parts, so a refused `keep` cannot damage the stored
 * answer. If the process dies before it writes the head, TTL deletes the parts and the claim
 * becomes stale. If the process dies after that write, the answer is stored.
 */
async function keep(store: DynamoStore, { id, writeToken, sealed }: KeepRequest): Promise<void> {
  const { set, values } =
    typeof sealed === 'string'
      ? { set: 'SET #kept = :kept', values: { kept: sealed } }
      : await wholeAnswer(store, id, sealed)
  await store.update(store.tables.sessions, {
    key: answerKey(id),
    set,
    if: '#writeToken = :writeToken AND attribute_not_exists(#kept)',
    values: { ...values, writeToken },
  })
}

/** Writes all parts but the first. Returns the attributes of the head, which has the first part. */
async function wholeAnswer(
  store: DynamoStore,
  id: string,
  sealed: Uint8Array,
): Promise<{ readonly set: string; readonly values: ExpressionValues }> {
  const writer = randomBytes(9).toString('base64url')
  const ttl = answerTtlSec(store.clock.nowMs())
  const [data, ...rest] = splitParts('answer', sealed)
  for (const [index, part] of rest.entries()) {
    const key = answerPartKey(id, writer, index + 1)
    await store.put(store.tables.sessions, { item: { ...key, data: part, ttl } })
  }
  return {
    set: 'SET #kept = :kept, #writer = :writer, #parts = :parts, #data = :data',
    values: { kept: 'whole', writer, parts: rest.length + 1, data },
  }
}

/**
 * Reads the answer that belongs to the head. The head was written after the parts, so a read of the
 * parts after a read of the head finds all of them.
 */
async function keptIn(store: DynamoStore, head: Item): Promise<KeptAnswer> {
  const kept = wordAt(head, 'kept', KEPT_STATES)
  if (kept !== 'whole') return kept
  const [id, writer, parts] = [textAt(head, 'id'), textAt(head, 'writer'), intAt(head, 'parts')]
  const first = bytesAt(head, 'data')
  if (parts === 1) return first
  const items = await store.query(store.tables.sessions, {
    where: '#pk = :pk AND begins_with(#sk, :part)',
    values: { pk: answerKey(id).pk, part: answerPartsPrefix(writer) },
  })
  if (items.length !== parts - 1) throw new Fault('internal', `answer ${id}: parts are missing`)
  return joinParts([first, ...items.map((item) => bytesAt(item, 'data'))])
}

/**
 * Frees the key of a call that did nothing, for example because it was refused.
 *
 *   A: claim ✔ ── refused ── head removed  B afterwards: claims the id
 *   B:    └─ standing: not yet             A's drop again: refused by B's write token or no item
 *
 * If the process dies before the write, the claim becomes stale, and repeats see its age. A stored
 * answer is never dropped.
 */
async function drop(store: DynamoStore, { id, writeToken }: DropRequest): Promise<void> {
  await store.removeIf(store.tables.sessions, {
    key: answerKey(id),
    if: '#writeToken = :writeToken AND attribute_not_exists(#kept)',
    values: { writeToken },
  })
}

/** Returns the head of a new claim as an item. TTL deletes it ANSWER_TTL_SEC after the claim. */
function claimItem(claim: AnswerClaim): Item {
  return { ...answerKey(claim.id), ...claim, ttl: answerTtlSec(claim.claimedAtMs) }
}

function claimFrom(item: Item): AnswerClaim {
  return {
    id: textAt(item, 'id'),
    bodyHash: textAt(item, 'bodyHash'),
    sealingKeyHash: textAt(item, 'sealingKeyHash'),
    uid: textAt(item, 'uid'),
    callId: textAt(item, 'callId'),
    writeToken: textAt(item, 'writeToken'),
    claimedAtMs: intAt(item, 'claimedAtMs'),
  }
}

function answerTtlSec(fromMs: number): number {
  return Math.ceil(fromMs / 1_000) + ANSWER_TTL_SEC
}
