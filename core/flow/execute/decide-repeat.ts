/**
 * Decides what a repeated request with an Idempotency-Key gets, from the record stored for the key:
 * the kept answer, a conflict, a wait, or a free key because the caller took the first call back.
 * Refuses with `conflict` another body, another API key, and an answer that was not kept. Bound by
 * docs/service.md, Idempotency-Key, and ADR 0107.
 *
 * A repeat gets a kept answer only if the first caller did not take the call back. A is the first
 * call, V a void by the same caller, B the repeat:
 *
 *   A: keep ─▶ outcome settled      V: refunded      B: reads `refunded (cancelled or void)`: the key is free
 *   A: keep      V: refunded      A: finds the outcome `refunded`      B: the same
 *   A: keep      B: reads no outcome: still running      V: refunded      B polls again: the key is free
 *   A: keep ─▶ outcome settled      B: charge stays ✔ ─▶ answer      V: refused, the call stays charged
 *   A: keep ─▶ outcome settled      B: reads settled      V: refunded      B: charge stays: refused ─▶ the key is free
 *
 * If A dies after `keep`, then after 60 s B or the sweep writes the outcome `refunded (crashed)`. B
 * gets the kept answer, and the call was free. If A was only slow, A finds that outcome and keeps
 * it. If A dies before `keep`, B writes `interrupted` into A's record and then voids A. A late
 * `keep` of A is refused because of that mark. If A's `keep` came before the mark, B polls again.
 * If B dies between the two writes, the next repeat voids A.
 *
 * If A goes on as a task, B finds the task in the record, whatever the age of the claim:
 *
 *   A: claim ─▶ task ─▶ keep the task ─▶ … upstream … ─▶ end the task ─▶ keep the answer ─▶ outcome settled
 *   B:    └─ waits          └─ the same task; without tasks: its id, then the answer that A kept
 *   V cancels the task: refunded      B: the key is free, as above
 *   A dies as a task: a reader, the sweep or the next call writes `refunded (crashed)`      B: interrupted
 */
import type { ExecuteAnswer } from '../../call/execute.ts'
import {
  type AnswerClaim,
  CLAIM_STALE_MS,
  isSameBody,
  KEPT_ANSWER_BYTES_MAX,
  type StoredAnswer,
} from '../../call/idempotency.ts'
import type { Refusal } from '../../errors.ts'
import type { Outcome } from '../../ledger/ledger.ts'
import { TASK_POLL_MS } from '../../mcp/task.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SkillSource } from '../../skills/skill.ts'
import { toProblemAnswer } from './execute-request.ts'
import { refundUnlessEnded, voidCall } from './void-call.ts'

export type RepeatNeeds = Pick<
  Ports,
  'idempotencyRecords' | 'clock' | 'ledger' | 'log' | 'profiles' | 'seals'
>

/** The content that is sealed as JSON: the answer, and the skill that ran. */
export type KeptCall = {
  readonly answer: ExecuteAnswer
  readonly skillId: string
  readonly source: SkillSource
}

/** `ran` is the skill of a kept answer; undefined for a refusal. */
export type Replay = {
  readonly answer: ExecuteAnswer
  /** The task that the first call has become, for a caller who takes it for an answer. */
  readonly taskId?: string
  readonly replayed?: true
  readonly ran?: Pick<KeptCall, 'skillId' | 'source'>
}

/** The repeated request, which found the stored record. */
type Repeat = {
  readonly claim: Pick<AnswerClaim, 'bodyHash' | 'sealingKeyHash'>
  readonly sealingKey: string
}

export type RepeatDecision =
  | { readonly kind: 'answered'; readonly replay: Replay }
  | { readonly kind: 'running' }
  /** The caller took the first call back, so the repeat may replace the record. */
  | { readonly kind: 'taken-back' }

/**
 * Decides what the repeat gets from the record `standing`. Reads the outcome of the first call, and
 * writes `interrupted` and a void if that call died. Throws `Fault` if the store fails.
 */
export async function decideRepeat(
  ports: RepeatNeeds,
  keyed: Repeat,
  standing: StoredAnswer,
): Promise<RepeatDecision> {
  const { claim } = keyed
  const isStale = ports.clock.nowMs() - standing.claimedAtMs > CLAIM_STALE_MS
  const mayRun = !isStale && isUndecided(standing)
  const reads = !mayRun && standing.kept !== 'interrupted'
  const outcome = reads ? await ports.ledger.find(standing) : undefined
  if (wasTakenBack(outcome)) return { kind: 'taken-back' }
  const other = findOther(claim, standing)
  if (other !== undefined) return decideRefusal(standing, other)
  if (mayRun) return { kind: 'running' }
  if (standing.task !== undefined) {
    return decideTask(ports, keyed, { standing, outcome, task: standing.task })
  }
  switch (standing.kept) {
    case 'not-yet':
    case 'interrupted':
      return interrupt(ports, standing)
    case 'too_large':
      return decideRefusal(standing, 'too-large')
    default:
      // The process of the first call writes the outcome within milliseconds, unless it died.
      if (outcome === undefined && !isStale) return { kind: 'running' }
      return giveAnswer(ports, keyed, {
        standing,
        outcome: outcome ?? (await refundUnlessEnded(ports, { ...standing, reason: 'crashed' })),
        sealed: standing.kept,
      })
  }
}

/** What is sealed under the key once its call has become a task. */
export type KeptTask = Pick<KeptCall, 'skillId' | 'source'> & { readonly taskId: string }

/**
 * The repeat of a task. No age of the claim says that the task has died: its hold does, which ends
 * with an outcome. A caller who takes no task gets the answer that the task left under the key.
 */
async function decideTask(
  ports: RepeatNeeds,
  keyed: Repeat,
  of: {
    readonly standing: StoredAnswer
    readonly outcome: Outcome | undefined
    readonly task: Uint8Array
  },
): Promise<RepeatDecision> {
  const { outcome, standing } = of
  const text = ports.seals.open(keyed.sealingKey, toTaskPurpose(standing.id), of.task)
  // The seal opened, so the text is the one that `keepTask` wrote.
  const { taskId, skillId, source } = JSON.parse(text) as KeptTask
  const ran = { skillId, source }
  if (typeof standing.kept !== 'string' && outcome !== undefined) {
    const given = await giveAnswer(ports, keyed, { standing, outcome, sealed: standing.kept })
    if (given.kind !== 'answered') return given
    return { ...given, replay: { ...given.replay, taskId } }
  }
  const refused = refuseTask(standing, outcome, taskId)
  return { kind: 'answered', replay: { ...refused, taskId, ran } }
}

/** Why the repeat is not the same call by the same caller. */
function findOther(
  claim: Repeat['claim'],
  standing: StoredAnswer,
): 'other-body' | 'other-key' | undefined {
  if (!isSameBody(claim.bodyHash, standing.bodyHash)) return 'other-body'
  return claim.sealingKeyHash === standing.sealingKeyHash ? undefined : 'other-key'
}

/** The call runs, and neither its answer nor its task is kept. */
function isUndecided({ kept, task }: StoredAnswer): boolean {
  return kept === 'not-yet' && task === undefined
}

function refuseTask(
  standing: StoredAnswer,
  outcome: Outcome | undefined,
  taskId: string,
): Pick<Replay, 'answer'> {
  if (standing.kept === 'too_large') return refuseRepeat(standing, 'too-large')
  if (outcome?.state === 'refunded') return refuseRepeat(standing, 'interrupted')
  const detail = `Idempotency-Key: the first call with this key goes on as the task ${taskId}. Repeat it when the task has ended, with the same key, or ask for it with tasks/get.`
  const refusal = { code: 'conflict', detail, retryAfterSec: TASK_POLL_MS / 1_000 } as const
  return toProblemAnswer(standing.callId, refusal)
}

async function giveAnswer(
  ports: RepeatNeeds,
  { sealingKey }: Repeat,
  {
    outcome,
    sealed,
    standing,
  }: {
    readonly standing: StoredAnswer
    readonly outcome: Outcome
    readonly sealed: Uint8Array
  },
): Promise<RepeatDecision> {
  const stands = canBeVoided(outcome) ? await ports.ledger.keepCharge(standing) : outcome
  if (wasTakenBack(stands)) return { kind: 'taken-back' }
  const text = ports.seals.open(sealingKey, toSealPurpose(standing.id), sealed)
  // The seal opened, so the text is the one that `keepAnswer` wrote.
  const { answer, skillId, source } = JSON.parse(text) as KeptCall
  return { kind: 'answered', replay: { answer, replayed: true, ran: { skillId, source } } }
}

/**
 * True if the caller took the call back. Only a void has the reasons `cancelled` and `void`; the
 * sweep and failed calls write other reasons.
 */
function wasTakenBack(outcome: Outcome | undefined): boolean {
  const reason = outcome?.state === 'refunded' ? outcome.reason : undefined
  return reason === 'cancelled' || reason === 'void'
}

/** True if a later void could still refund the call. Only agents void calls, never REST clients. */
function canBeVoided({ chargeStays, facts, state }: Outcome): boolean {
  return state === 'settled' && chargeStays !== true && facts?.door !== 'rest'
}

async function interrupt(ports: RepeatNeeds, standing: StoredAnswer): Promise<RepeatDecision> {
  const { callId, id, kept, uid, writeToken } = standing
  if (kept === 'not-yet') {
    await ports.idempotencyRecords.keep({ id, writeToken, sealed: 'interrupted' })
    const noted = await ports.idempotencyRecords.find(id)
    // The first call kept its answer or freed the key just before.
    if (noted?.kept !== 'interrupted') return { kind: 'running' }
  }
  await voidCall(ports, { uid, callId, reason: 'void', windowMs: Number.POSITIVE_INFINITY })
  return decideRefusal(standing, 'interrupted')
}

/** Returns the purpose under which the task of the record `id` is sealed. */
export function toTaskPurpose(id: string): string {
  return `task#${id}`
}

/** Returns the purpose under which the answer of the record `id` is sealed. */
export function toSealPurpose(id: string): string {
  return `answer#${id}`
}

function decideRefusal(standing: StoredAnswer, why: keyof typeof REFUSALS): RepeatDecision {
  return { kind: 'answered', replay: refuseRepeat(standing, why) }
}

/** Returns the `conflict` for a repeat, with the id of the first call. */
export function refuseRepeat({ callId }: StoredAnswer, why: keyof typeof REFUSALS): Replay {
  return toProblemAnswer(callId, { code: 'conflict', ...REFUSALS[why] })
}

const REFUSALS = {
  'other-body': {
    detail:
      'Idempotency-Key: was used before for another skill, other arguments or other input. Use a new key for a new call.',
  },
  'other-key': {
    detail:
      'Idempotency-Key: was used before with another API key or login of this user, and only that one can read the answer. Repeat with it, or use a new key.',
  },
  'too-large': {
    detail: `Idempotency-Key: the first call ran and was charged once, but its answer is over ${KEPT_ANSWER_BYTES_MAX} bytes and was not kept. Use a new key to run it again.`,
  },
  running: {
    detail:
      'Idempotency-Key: the first call with this key is still running. Repeat it in a moment, with the same key.',
    retryAfterSec: 1,
  },
  interrupted: {
    detail:
      'Idempotency-Key: the first call with this key was interrupted and cost nothing. The upstream may or may not have acted on it: check there, then use a new key.',
  },
} satisfies { readonly [why: string]: Omit<Refusal, 'code'> }
