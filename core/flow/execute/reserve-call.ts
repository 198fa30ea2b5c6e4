/**
 * Takes a call up to its hold: count the minute, which enters the user for the sweep ∥ read the
 * candidates ∥ claim the Idempotency-Key (one round trip), then validate, then claim a state that
 * comes back, then hold. Every refusal
 * happens here, before the upstream is called and, apart from the hold itself, before money moves.
 * Bound by docs/service.md, Order of a call.
 */
import { minuteOf } from '../../access/minute.ts'
import type { Principal } from '../../access/principal.ts'
import { CALL_TIMEOUT_MS, DEADLINE_MARGIN_MS } from '../../call/limits.ts'
import { ok, type Refusal, type Result } from '../../errors.ts'
import { countCall } from '../../ledger/budget.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Settings } from '../../settings.ts'
import type { EventSettings } from '../events/note-crossings.ts'
import { noteRefusedByBudget } from '../events/note-user.ts'
import { type CallOrigin, originOf } from './call-origin.ts'
import {
  type ExecuteNeeds,
  type ExecuteRequest,
  type ExecuteResponse,
  problemAnswer,
} from './execute-request.ts'
import { placeCall } from './hold-credits.ts'
import { claimOrReplay, type KeyedCall } from './idempotent-call.ts'
import { replayRefusal } from './judge-replay.ts'
import type { Replay } from './judge-standing.ts'
import { logRefused } from './log-refused.ts'
import { type CallRecords, candidatesFor, judgeProfile, readForCall } from './read-for-call.ts'
import { secretsFor } from './secrets-of-call.ts'
import { type ReadyCall, validateCall } from './validate-call.ts'

export type Attempt = {
  readonly request: ExecuteRequest
  readonly principal: Principal
  readonly callId: string
  readonly startedAtMs: number
  /** Time that the look-up of the key took. */
  readonly authMs: number
  readonly keyed: KeyedCall | undefined
}

/** A call whose price is on hold, with the profile after that hold. */
export type HeldCall = {
  readonly call: ReadyCall
  readonly profile: Profile
  /** For the record of the call. */
  readonly origin: CallOrigin
  /** Whether the operator lets an excerpt of a failed answer be kept. */
  readonly keepsExcerpt: boolean
  readonly events: EventSettings
}

export type Reservation =
  | (HeldCall & { readonly kind: 'held'; readonly headers: ExecuteResponse['headers'] })
  /** No upstream was called. */
  | { readonly kind: 'refused'; readonly executed: ExecuteResponse }
  /** An earlier attempt has the same Idempotency-Key; `executed` answers the repeat. */
  | { readonly kind: 'replayed'; readonly executed: ExecuteResponse }

export async function reserveCall(
  ports: ExecuteNeeds,
  settings: Settings,
  attempt: Attempt,
): Promise<Reservation> {
  const { keyed } = attempt
  const reading = readForCall(ports, settings, attempt.principal, attempt.request.body.skill)
  const claiming = keyed === undefined ? undefined : claimOrReplay(ports, keyed)
  // Wait for both even if one fails: a claim that is still being written cannot be freed.
  if (claiming !== undefined) await Promise.allSettled([reading, claiming])
  const read = await reading
  const replay = claiming && (await claiming)
  const { headers, profile } = judgeProfile(settings, read)
  if (replay !== undefined) {
    const answered = await answerRepeat(ports, settings, attempt, {
      replay,
      candidates: read.candidates,
      profile,
    })
    return { kind: 'replayed', executed: { ...answered, headers } }
  }
  const ready = profile.ok
    ? await readyCall(ports, settings, attempt, { ...read, profile: profile.value })
    : profile
  const readyAtMs = ports.clock.nowMs()
  const held = ready.ok ? await placeCall(ports, settings, ready.value) : ready
  if (ready.ok && held.ok) {
    const origin = originOf(attempt, { readyAtMs, heldAtMs: ports.clock.nowMs() })
    const { callExcerpts: keepsExcerpt, events } = settings
    const shared = { call: ready.value, profile: held.value, origin, keepsExcerpt, events }
    return { kind: 'held', ...shared, headers }
  }
  const refusal = held.ok ? TOO_LATE : held.error
  logRefused(ports, attempt, refusal)
  const answered = { ...problemAnswer(attempt.callId, refusal), headers }
  const note = ready.ok ? noteOf(ports, settings, ready.value, refusal) : {}
  return { kind: 'refused', executed: { ...answered, ...note } }
}

/** Gives the kept answer to a caller who may still make the call. */
async function answerRepeat(
  ports: ExecuteNeeds,
  settings: Settings,
  attempt: Attempt,
  of: {
    readonly replay: Replay
    readonly candidates: CallRecords['candidates']
    readonly profile: Result<Profile>
  },
): Promise<Omit<ExecuteResponse, 'headers'>> {
  const { candidates, profile, replay } = of
  const { principal, request } = attempt
  const { ran, ...given } = replay
  const seen = { candidates, profile, ran }
  const refusal = await replayRefusal(ports, settings, { principal, request, ...seen })
  if (refusal === undefined) return given
  logRefused(ports, attempt, refusal)
  // A conflict is about the call that has the key.
  const first = refusal.code === 'conflict' ? replay.answer.body.callId : undefined
  return problemAnswer(first ?? attempt.callId, refusal)
}

/** Costs a read for the first call of a month that a budget refuses, and nothing for those after it. */
function noteOf(
  ports: ExecuteNeeds,
  { events }: Settings,
  { principal, profile, skill }: ReadyCall,
  { code }: Refusal,
): Pick<ExecuteResponse, 'after'> {
  if (code !== 'budget_reached' || events === undefined) return {}
  const { keyHash, uid } = principal
  const heldAtMs = ports.clock.nowMs()
  const call = { uid, keyHash, amount: skill.priceMicroCredits, heldAtMs }
  const reached = countCall(profile, call).reached?.budget
  if (reached !== undefined && reached.toldMonth === reached.month) return {}
  return { after: [() => noteRefusedByBudget(ports, events, call)] }
}

async function readyCall(
  ports: ExecuteNeeds,
  settings: Settings,
  attempt: Attempt,
  read: Pick<CallRecords, 'candidates' | 'countedAtMs'> & { readonly profile: Profile },
): Promise<Result<ReadyCall>> {
  const { callId, principal, request, startedAtMs } = attempt
  const { groups } = read.profile
  const { candidates: seen } = read
  const called = { uid: principal.uid, name: request.body.skill }
  const candidates = await candidatesFor(ports, settings, called, { candidates: seen, groups })
  const { sealingKey } = principal
  const sealing = { ...request, sealingKey }
  const prepared = await validateCall(ports, settings, candidates, sealing)
  if (!prepared.ok) return prepared
  const deadlineMs = request.terms?.deadlineMs ?? startedAtMs + CALL_TIMEOUT_MS
  if (ports.clock.nowMs() >= deadlineMs - DEADLINE_MARGIN_MS) return { ok: false, error: TOO_LATE }
  // Before the hold: hooks that cannot be loaded cost no credits.
  if (prepared.value.skill.hooks.length > 0) await ports.hooks.open?.()
  const secrets = secretsFor(ports, prepared.value.skill, principal)
  const { countedAtMs, profile } = read
  const enteredMinute = minuteOf(countedAtMs)
  const times = { startedAtMs, deadlineMs, enteredMinute }
  return ok({ ...prepared.value, ...times, secrets, callId, principal, profile })
}

/** The caller has stopped waiting, so the upstream must not act any more. */
const TOO_LATE: Refusal = {
  code: 'timed_out',
  detail: 'The deadline of this call passed before it could begin. It was not charged.',
}
