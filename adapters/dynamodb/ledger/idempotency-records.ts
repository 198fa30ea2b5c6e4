/**
 * answer:{id}: the first answer of a call with an Idempotency-Key. The head is the claim; one write
 * of the head, after the parts, makes the stored answer visible. Opens no seal. Bound by
 * docs/service.md, Idempotency-Key, and docs/design/ledger.md#idempotency-key.
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
  drop: [{ table: 'sessions', actions: ['DeleteItem'], keyPrefixes: [ANSWER_PK] }],
}

/** `whole`: the answer is stored in `parts` pieces, the first of them in the head. */
const KEPT_STATES = ['whole', 'too_large', 'interrupted'] as const

export function dynamoIdempotencyRecords(store: DynamoStore): IdempotencyRecords {
  return {
    claim: (request) => claim(store, request),
    find: (id) => find(store, id),
    keep: (kept) => keep(store, kept),
    drop: (request) => drop(store, request),
  }
}

/**
 * Two attempts with one key: one item, so one of them is first.
 *
 *   A: head ✔ claimed ───────────────▶ runs              a day later, C: head replaced ✔ claimed
 *   B:    └─ refused by A's head ─▶ standing: not yet, or the answer that A stored
 *
 * A's write sent again after a lost answer is refused by its own write token: claimed. A duplicate
 * of it that arrives after A stored its answer is refused too, and the answer stands. One that
 * arrives after A dropped its claim leaves a claim without a worker, as if A had died: callers that
 * repeat see its age and void the call, which holds nothing. Dying before: no claim. Dying after:
 * the same as a claim without a worker. Expiry is judged by the attribute, since TTL deletes late;
 * parts of the replaced answer have names of their own and are left to TTL.
 *
 * `over` replaces the record of a call that its caller took back. Its condition is that record's token:
 *
 *   B: head of A replaced ✔ claimed ──▶ runs      A's late keep or drop: refused by B's token
 *   C:    └─ refused by B's head ─▶ standing      a late copy of B's claim: refused, A's token is gone
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
  return { ...claimFrom(head), kept }
}

/**
 * Only the attempt that claims may store an answer, and only once; a reader sees all of it or
 * `not-yet`:
 *
 *   A: part ── part ── head ✔ stored               its own write again: refused, the answer stands
 *   B:    └─ not yet     └─ the whole answer       keep of a claim that is gone: refused, no change
 *
 * Each keep gives its parts new names, so one that is refused cannot spoil the stored answer. Dying
 * before the head: parts without a head, left to TTL; the claim grows stale. Dying after: the
 * answer is there.
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

/** Writes the parts after the first. Answers the attributes of the head. */
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

/** The head was written after the parts, so a read of the parts after it misses none. */
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
 * The call was refused before it began, so its key becomes free again.
 *
 *   A: claim ✔ ── refused ── head gone  B after it: claims the id for itself
 *   B:    └─ standing: not yet          A's drop again: refused by B's write token or no item
 *
 * Dying before: a stale claim, and callers that repeat see its age. A stored answer is never
 * dropped.
 */
async function drop(store: DynamoStore, { id, writeToken }: DropRequest): Promise<void> {
  await store.removeIf(store.tables.sessions, {
    key: answerKey(id),
    if: '#writeToken = :writeToken AND attribute_not_exists(#kept)',
    values: { writeToken },
  })
}

/** The head as an item: who claims the id, and the time at which the answer was stored. */
function claimItem(claim: AnswerClaim): Item {
  return { ...answerKey(claim.id), ...claim, ttl: answerTtlSec(claim.claimedAtMs) }
}

function claimFrom(item: Item): AnswerClaim {
  return {
    id: textAt(item, 'id'),
    bodyHash: textAt(item, 'bodyHash'),
    keyHash: textAt(item, 'keyHash'),
    uid: textAt(item, 'uid'),
    callId: textAt(item, 'callId'),
    writeToken: textAt(item, 'writeToken'),
    claimedAtMs: intAt(item, 'claimedAtMs'),
  }
}

function answerTtlSec(fromMs: number): number {
  return Math.ceil(fromMs / 1_000) + ANSWER_TTL_SEC
}
