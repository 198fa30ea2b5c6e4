/**
 * One execution, one charge and one answer per Idempotency-Key. Bound by docs/service.md,
 * Idempotency-Key, and ADR 0012. A record goes claimed → kept; refused calls free the key again.
 *
 *   A: claim ✔ ─▶ hold ─▶ upstream ─▶ keep answer ─▶ settle ─▶ answer
 *   B: claim refused: still running → 409, Retry-After · kept → the same answer · other body → 409
 * A dies before `keep`: after 60 s a repeat voids A's call and is answered 409: the call was
 * interrupted, cost nothing and never runs again under this key.
 * A dies after `keep`, before the outcome: the call was free, and repeats get the kept answer.
 * A caller that disconnects does not cut a call with a key, since it is expected to come back.
 * An upstream that asks for input frees the key as a refusal does: nothing was charged or done. The
 * round that brings the input runs, and its answer is kept, under the same key (ADR 0027).
 */
import { readAuthorization } from '../../access/api-key.ts'
import type { Principal } from '../../access/principal.ts'
import type { ExecuteAnswer } from '../../call/execute.ts'
import {
  type AnswerClaim,
  CLAIM_STALE_MS,
  KEPT_ANSWER_BYTES_MAX,
  type StoredAnswer,
} from '../../call/idempotency.ts'
import type { Refusal } from '../../errors.ts'
import { bytesOf } from '../../json/text-bytes.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ExecuteRequest, ExecuteResponse } from './execute-request.ts'
import { problemAnswer } from './execute-request.ts'
import { voidCall } from './void-call.ts'

type Needs = Pick<
  Ports,
  'idempotencyRecords' | 'clock' | 'digests' | 'ids' | 'ledger' | 'log' | 'profiles' | 'seals'
>

export type KeyedCall = {
  readonly claim: AnswerClaim
  /** The API key. The answer is sealed under it, so that no other key opens it. */
  readonly secret: string
}

/** Undefined for a call without an Idempotency-Key. */
export function toKeyedCall(
  ports: Needs,
  request: ExecuteRequest,
  principal: Principal,
  call: { readonly callId: string; readonly startedAtMs: number },
): KeyedCall | undefined {
  const sent = readAuthorization(request.authorization)
  if (request.idempotencyKey === undefined || sent.kind !== 'bearer') return undefined
  const { skill, arguments: args, input } = request.body
  const claim = {
    id: ports.digests.sha256(`idempotency:${principal.uid}\n${request.idempotencyKey}`),
    // A call without input hashes as it did before input existed, so that kept answers still match.
    bodyHash: ports.digests.sha256(
      JSON.stringify(input === undefined ? [skill, args] : [skill, args, input]),
    ),
    keyHash: principal.keyHash,
    uid: principal.uid,
    callId: call.callId,
    writeToken: ports.ids.token(9),
    claimedAtMs: call.startedAtMs,
  }
  return { claim, secret: sent.token }
}

/** Undefined when this attempt may run; otherwise the answer to a repeat. */
export async function claimOrReplay(
  ports: Needs,
  keyed: KeyedCall,
): Promise<Omit<ExecuteResponse, 'headers'> | undefined> {
  const claimed = await ports.idempotencyRecords.claim(keyed.claim)
  return claimed.kind === 'claimed' ? undefined : replay(ports, keyed, claimed.answer)
}

/** Keeps the answer for repeats, before the call is settled. Never throws. */
export async function keepAnswer(
  ports: Needs,
  { claim, secret }: KeyedCall,
  answer: ExecuteAnswer,
): Promise<void> {
  const text = JSON.stringify(answer)
  try {
    const tooLarge = bytesOf(text) > KEPT_ANSWER_BYTES_MAX
    const sealed = tooLarge ? 'too_large' : ports.seals.seal(secret, purposeOf(claim.id), text)
    await ports.idempotencyRecords.keep({ id: claim.id, writeToken: claim.writeToken, sealed })
  } catch (cause) {
    // A repeat finds no answer, voids the call and says so: the call is free and never runs twice.
    ports.log.note('error', 'answer-not-kept', { callId: claim.callId, uid: claim.uid }, cause)
  }
}

/** For a call that did nothing: its key may be used again. */
export async function freeKey(ports: Needs, keyed: KeyedCall | undefined): Promise<void> {
  if (keyed === undefined) return
  const { callId, id, writeToken, uid } = keyed.claim
  await ports.idempotencyRecords.drop({ id, writeToken }).catch((cause: unknown) => {
    ports.log.note('warn', 'claim-not-freed', { callId, uid }, cause)
  })
}

async function replay(
  ports: Needs,
  keyed: KeyedCall,
  standing: StoredAnswer,
): Promise<Omit<ExecuteResponse, 'headers'>> {
  const refused = (refusal: Refusal) => problemAnswer(standing.callId, refusal)
  if (standing.bodyHash !== keyed.claim.bodyHash) return refused(OTHER_BODY)
  if (standing.keyHash !== keyed.claim.keyHash) return refused(OTHER_API_KEY)
  if (standing.kept === 'too_large') return refused(TOO_LARGE)
  if (standing.kept !== 'not-yet') {
    const text = ports.seals.open(keyed.secret, purposeOf(standing.id), standing.kept)
    // It opened under the key that we sealed it with, so it is the text that we wrote.
    return { answer: JSON.parse(text) as ExecuteAnswer, replayed: true }
  }
  const ageMs = ports.clock.nowMs() - standing.claimedAtMs
  if (ageMs <= CLAIM_STALE_MS) return refused(RUNNING)
  const { callId, uid } = standing
  await voidCall(ports, { uid, callId, reason: 'void', windowMs: Number.POSITIVE_INFINITY })
  return refused(INTERRUPTED)
}

function purposeOf(id: string): string {
  return `answer#${id}`
}

const OTHER_BODY: Refusal = {
  code: 'conflict',
  detail:
    'Idempotency-Key: was used before for another skill, other arguments or other input. Use a new key for a new call.',
}

const OTHER_API_KEY: Refusal = {
  code: 'conflict',
  detail:
    'Idempotency-Key: was used before with another API key of this user, and only that one can read the answer. Repeat with it, or use a new key.',
}

const TOO_LARGE: Refusal = {
  code: 'conflict',
  detail: `Idempotency-Key: the first call ran and was charged once, but its answer is over ${KEPT_ANSWER_BYTES_MAX} bytes and was not kept. Use a new key to run it again.`,
}

const RUNNING: Refusal = {
  code: 'conflict',
  detail: 'Idempotency-Key: the first call with this key is still running. Repeat it in a moment.',
  retryAfterSec: 1,
}

const INTERRUPTED: Refusal = {
  code: 'conflict',
  detail:
    'Idempotency-Key: the first call with this key was interrupted and cost nothing. The upstream may or may not have acted on it: check there, then use a new key.',
}
