/**
 * Makes one execution, one charge and one answer per Idempotency-Key, at every door. A record goes
 * claimed → kept; a refused call frees the key again. Bound by docs/service.md, Idempotency-Key,
 * docs/design/ledger.md#idempotency-key and ADR 0107.
 *
 *   A: claim ✔ ─▶ hold ─▶ upstream ─▶ keep answer ─▶ settle ─▶ answer
 *   B: claim refused: still running → 409, Retry-After; over MCP a poll each second · other body → 409
 *                     kept          → reads the outcome: decide-repeat.ts gives the answer, or frees the key
 *
 * If A's caller sends `notifications/cancelled`, or A's HTTP+SSE stream ends, A is voided. Before
 * `keep`, A sees the void and frees the key. After `keep`, B finds the void and replaces the
 * record. A client of REST or of MCP 2026-07-28 that disconnects does not end a call with a key,
 * because such a client is expected to repeat the request. If A dies before `keep`, after 60 s B
 * marks A as interrupted and voids A. A costs nothing and never runs again under this key. If A
 * dies after `keep` and before the outcome, the call is free, and after 60 s repeats get the kept
 * answer. If the upstream asks for input, the key becomes free as after a refusal: nothing was
 * charged or done. The round that brings the input runs under the same key, and its answer is kept
 * (ADR 0027).
 */
import type { Principal } from '../../access/principal.ts'
import type { ExecuteAnswer } from '../../call/execute.ts'
import {
  type AnswerClaim,
  hashCallBody,
  KEPT_ANSWER_BYTES_MAX,
  KEY_POLL_MS,
  type StoredAnswer,
} from '../../call/idempotency.ts'
import { CALL_TIMEOUT_MS, DEADLINE_MARGIN_MS } from '../../call/limits.ts'
import { countBytes } from '../../json/text-bytes.ts'
import type { Ports } from '../../ports/ports.ts'
import {
  decideRepeat,
  type KeptCall,
  type KeptTask,
  type RepeatNeeds,
  type Replay,
  refuseRepeat,
  toSealPurpose,
  toTaskPurpose,
} from './decide-repeat.ts'
import type { ExecuteRequest } from './execute-request.ts'

type Needs = RepeatNeeds & Pick<Ports, 'digests' | 'ids'>

export type KeyedCall = {
  readonly claim: AnswerClaim
  /** The principal's: no other API key or login can open the answer. */
  readonly sealingKey: string
  /** The time until which a repeat waits for the first call; undefined if it does not wait. */
  readonly waitsUntilMs: number | undefined
  /** Ends a wait when it aborts. */
  readonly gone: AbortSignal
  readonly alarm: Ports['clock']['alarm']
}

/**
 * Returns undefined for a call without an Idempotency-Key. A call with `terms` comes from an agent,
 * and only such a call waits for the first one.
 */
export function toKeyedCall(
  ports: Needs,
  { alarm = ports.clock.alarm, body, gone, idempotencyKey, terms }: ExecuteRequest,
  { sealingKey, uid }: Principal,
  { callId, startedAtMs }: { readonly callId: string; readonly startedAtMs: number },
): KeyedCall | undefined {
  if (idempotencyKey === undefined) return undefined
  const claim = {
    id: ports.digests.sha256(`idempotency:${uid}\n${idempotencyKey}`),
    bodyHash: hashCallBody(ports.digests.sha256, body),
    sealingKeyHash: ports.digests.sha256(sealingKey),
    uid,
    callId,
    writeToken: ports.ids.token(9),
    claimedAtMs: startedAtMs,
  }
  const waitsUntilMs = terms === undefined ? undefined : terms.deadlineMs - DEADLINE_MARGIN_MS
  return { claim, sealingKey, waitsUntilMs, gone, alarm }
}

/**
 * Polls of one repeat: one per second of the longest call, and 5 for calls that were taken back.
 */
const POLLS_MAX = CALL_TIMEOUT_MS / KEY_POLL_MS + 5

/**
 * Claims the key. Returns undefined if this attempt may run, otherwise the answer to the repeat.
 * Throws `Fault` if the store fails. A repeat that waits:
 *
 *   A runs        B: a poll each second ── kept ─▶ A's answer
 *   A frees it    B and C: no record ─▶ both claim: one runs, the other waits on
 *   A is voided   B and C: both replace A's record: one succeeds, the other finds the new record and waits on
 */
export async function claimOrReplay(ports: Needs, keyed: KeyedCall): Promise<Replay | undefined> {
  const { claim } = keyed
  let found = await ports.idempotencyRecords.claim(claim)
  for (let polls = 0; found.kind === 'standing' && polls < POLLS_MAX; polls += 1) {
    const standing = found.answer
    const judged = await decideRepeat(ports, keyed, standing)
    if (judged.kind === 'answered') return judged.replay
    if (judged.kind === 'taken-back') {
      found = await ports.idempotencyRecords.claim({ ...claim, over: standing.writeToken })
      continue
    }
    if (!(await waitForPoll(ports, keyed))) break
    const next: StoredAnswer | undefined = await ports.idempotencyRecords.find(claim.id)
    found =
      next === undefined
        ? await ports.idempotencyRecords.claim(claim)
        : { kind: 'standing', answer: next }
  }
  return found.kind === 'claimed' ? undefined : refuseRepeat(found.answer, 'running')
}

/** Waits for the next poll. Resolves to false if the repeat must not wait any longer. */
function waitForPoll({ clock }: Needs, { alarm, gone, waitsUntilMs }: KeyedCall): Promise<boolean> {
  if (waitsUntilMs === undefined || clock.nowMs() + KEY_POLL_MS > waitsUntilMs) {
    return Promise.resolve(false)
  }
  return new Promise((resolve) => {
    const end = (isOver: boolean) => {
      stop()
      gone.removeEventListener('abort', leave)
      resolve(!isOver)
    }
    const leave = () => end(true)
    const stop = alarm(KEY_POLL_MS, () => end(false))
    gone.addEventListener('abort', leave)
    if (gone.aborted) leave()
  })
}

/** Keeps the answer for repeats. Runs before the call is settled. Never throws. */
export async function keepAnswer(
  ports: Needs,
  { claim, sealingKey }: KeyedCall,
  kept: KeptCall,
): Promise<void> {
  const text = JSON.stringify(kept)
  try {
    const tooLarge = countBytes(text) > KEPT_ANSWER_BYTES_MAX
    const sealed = tooLarge
      ? 'too_large'
      : ports.seals.seal(sealingKey, toSealPurpose(claim.id), text)
    await ports.idempotencyRecords.keep({ id: claim.id, writeToken: claim.writeToken, sealed })
  } catch (cause) {
    // A repeat finds no answer, voids the call and reports that. The call is free and never runs
    // twice.
    ports.log.note('error', 'answer-not-kept', { callId: claim.callId, uid: claim.uid }, cause)
  }
}

/**
 * Keeps the task that the call has become, before its client hears of it. Returns false if the key
 * is no longer this call's. Throws `Fault` if the store fails.
 */
export function keepTask(
  ports: Needs,
  { claim: { id, writeToken }, sealingKey }: KeyedCall,
  task: KeptTask,
): Promise<boolean> {
  const sealed = ports.seals.seal(sealingKey, toTaskPurpose(id), JSON.stringify(task))
  return ports.idempotencyRecords.keepTask({ id, writeToken, sealed })
}

/** True if the call was taken back while it ran. Such a failure is not kept for repeats. */
export function isTakenBack(answer: ExecuteAnswer): boolean {
  return answer.kind === 'problem' && answer.body.code === 'cancelled'
}

/** Frees the key of a call that did nothing, so that a retry may use it. Never throws. */
export async function freeKey(ports: Needs, keyed: KeyedCall | undefined): Promise<void> {
  if (keyed === undefined) return
  const { callId, id, writeToken, uid } = keyed.claim
  await ports.idempotencyRecords.drop({ id, writeToken }).catch((cause: unknown) => {
    ports.log.note('warn', 'claim-not-freed', { callId, uid }, cause)
  })
}
