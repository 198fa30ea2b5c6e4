/**
 * Takes a call up to its hold. Every refusal happens here, before the upstream is called and before
 * money moves. Bound by docs/service.md, Order of a call.
 *
 *   count the minute ∥ read the candidates ∥ claim the Idempotency-Key     (one round trip)
 *   ─▶ validate ─▶ claim a state that the call brings back ─▶ hold
 */
import { toMinute } from '../../access/minute.ts'
import type { Principal } from '../../access/principal.ts'
import { DEADLINE_MARGIN_MS } from '../../call/limits.ts'
import { ok, type Refusal, type Result } from '../../errors.ts'
import { countCall } from '../../ledger/budget.ts'
import { fingerprintCall } from '../../ledger/equal-calls.ts'
import { findUsedUpDay } from '../../ledger/key-days.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Settings } from '../../settings.ts'
import { checkByName } from '../access/list-kind.ts'
import type { EventSettings } from '../events/note-crossings.ts'
import { recordRefusedByLimit } from '../events/note-user.ts'
import { type CallOrigin, toCallOrigin } from './call-origin.ts'
import type { Replay } from './decide-repeat.ts'
import {
  type ExecuteNeeds,
  type ExecuteRequest,
  type ExecuteResponse,
  toProblemAnswer,
} from './execute-request.ts'
import { claimAndHold, HOLD_ENDED } from './hold-credits.ts'
import { claimOrReplay, type KeyedCall } from './idempotent-call.ts'
import { type CallRecords, checkCaller, findCandidates, readForCall } from './read-for-call.ts'
import { findReplayRefusal } from './refuse-replay.ts'
import { startLoadingSecrets } from './secrets-of-call.ts'
import { timeCall } from './time-call.ts'
import { type ReadyCall, validateCall } from './validate-call.ts'

export type Attempt = {
  readonly request: ExecuteRequest
  readonly principal: Principal
  readonly callId: string
  readonly startedAtMs: number
  /** Milliseconds that authentication took. */
  readonly authMs: number
  readonly keyed: KeyedCall | undefined
}

/** A call whose price is on hold, with the profile after that hold. */
export type HeldCall = {
  readonly call: ReadyCall
  readonly profile: Profile
  /** Facts for the record of the call. */
  readonly origin: CallOrigin
  /** True if the operator allows that an excerpt of a failed answer is kept. */
  readonly keepsExcerpt: boolean
  readonly events: EventSettings
}

export type Reservation =
  | (HeldCall & { readonly kind: 'held'; readonly headers: ExecuteResponse['headers'] })
  /** No upstream was called. */
  | { readonly kind: 'refused'; readonly executed: ExecuteResponse }
  /** An earlier attempt has the same Idempotency-Key; `executed` answers the repeat. */
  | { readonly kind: 'replayed'; readonly executed: ExecuteResponse }

/** Throws `Fault` if the store fails; the hold may have been written all the same. */
export async function reserveCall(
  ports: ExecuteNeeds,
  settings: Settings,
  attempt: Attempt,
): Promise<Reservation> {
  const { keyed } = attempt
  const { body, task } = attempt.request
  const isCounted = task?.resumes === undefined
  const reading = readForCall(ports, settings, attempt.principal, { skill: body.skill, isCounted })
  const claiming = keyed === undefined ? undefined : claimOrReplay(ports, keyed)
  // Wait for both, even if one fails: the caller can only free a claim that is written.
  if (claiming !== undefined) await Promise.allSettled([reading, claiming])
  const read = await reading
  const replay = claiming && (await claiming)
  const { headers, profile } = checkCaller(settings, read)
  if (replay !== undefined) {
    const answered = await answerRepeat(ports, settings, attempt, {
      replay,
      candidates: read.candidates,
      profile,
    })
    return { kind: 'replayed', executed: { ...answered, headers } }
  }
  const ready = profile.ok
    ? await prepareCall(ports, settings, attempt, { ...read, profile: profile.value })
    : profile
  const readyAtMs = ports.clock.nowMs()
  const held = ready.ok ? await claimAndHold(ports, settings, ready.value) : ready
  if (ready.ok && held.ok) {
    const times = { readyAtMs, heldAtMs: ports.clock.nowMs() }
    const fingerprint = addFingerprint(ports, attempt, ready.value)
    const origin = { ...toCallOrigin(attempt, times), ...fingerprint }
    const { callExcerpts: keepsExcerpt, events } = settings
    const shared = { call: ready.value, profile: held.value, origin, keepsExcerpt, events }
    return { kind: 'held', ...shared, headers }
  }
  const refusal = held.ok ? TOO_LATE : held.error
  logRefused(ports, attempt, refusal)
  const answered = { ...toProblemAnswer(attempt.callId, refusal), headers }
  const steps = ready.ok ? limitSteps(ports, settings, ready.value, refusal) : {}
  return { kind: 'refused', executed: { ...answered, ...steps } }
}

/** Only calls of skills with `config.repeat` are compared with others. */
function addFingerprint(
  { digests }: Pick<ExecuteNeeds, 'digests'>,
  { principal: { keyHash }, request }: Attempt,
  { record, skill }: ReadyCall,
): Pick<CallOrigin, 'fingerprint'> {
  if (skill.repeat === undefined) return {}
  const { priceMicroCredits: amount, skillId, source } = skill
  const of = { keyHash, source, skillId, skillVersion: record.version, amount }
  const called = { ...of, arguments: request.body.arguments }
  return { fingerprint: fingerprintCall(digests.sha256, called) }
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
  const { ran, taskId, ...given } = replay
  const seen = { candidates, profile, ran }
  const refusal = await findReplayRefusal(ports, settings, { principal, request, ...seen })
  if (refusal === undefined) {
    // A client that knows no tasks gets the answer of a task that has ended, and its id before
    // that.
    const isAnswered = request.task?.ifRequired === true && given.answer.kind !== 'problem'
    if (taskId !== undefined && !isAnswered) await request.task?.repeat(taskId)
    return given
  }
  logRefused(ports, attempt, refusal)
  // A conflict is about the call that has the key.
  const first = refusal.code === 'conflict' ? replay.answer.body.callId : undefined
  return toProblemAnswer(first ?? attempt.callId, refusal)
}

/**
 * The event of a call that a budget or a day's limit refused, as work after the answer. It costs
 * one read for the first such call of a month or day, and nothing for later ones.
 */
function limitSteps(
  ports: ExecuteNeeds,
  { events }: Settings,
  { principal, profile, skill }: ReadyCall,
  { code }: Refusal,
): Pick<ExecuteResponse, 'after'> {
  const isLimit = code === 'budget_reached' || code === 'daily_calls_reached'
  if (!isLimit || events === undefined) return {}
  const { keyHash, parentHash, uid } = principal
  const heldAtMs = ports.clock.nowMs()
  const call = { uid, keyHash, parentHash, amount: skill.priceMicroCredits, heldAtMs }
  const reached = countCall(profile, call).reached?.budget
  const day = findUsedUpDay(profile, call)?.day
  const isTold =
    code === 'budget_reached'
      ? reached !== undefined && reached.toldMonth === reached.month
      : day !== undefined && day.toldDay === day.day
  return isTold ? {} : { after: [() => recordRefusedByLimit(ports, events, call)] }
}

/** Logs a call that was refused before it held credits. */
function logRefused(
  ports: Pick<ExecuteNeeds, 'clock' | 'log'>,
  { callId, principal, request, startedAtMs }: Attempt,
  refusal: Refusal,
): void {
  ports.log.call({
    callId,
    uid: principal.uid,
    username: principal.username,
    skillId: request.body.skill.slice(0, 64),
    source: 'official',
    outcome: 'refused',
    code: refusal.code,
    upstreamStatus: undefined,
    upstreamMs: undefined,
    durationMs: ports.clock.nowMs() - startedAtMs,
    held: 0,
    charged: 0,
    refunded: 0,
    remaining: 0,
  })
}

async function prepareCall(
  ports: ExecuteNeeds,
  settings: Settings,
  attempt: Attempt,
  read: Pick<CallRecords, 'candidates' | 'countedAtMs'> & { readonly profile: Profile },
): Promise<Result<ReadyCall>> {
  const { callId, principal, request, startedAtMs } = attempt
  const { groups } = read.profile
  const allowed = checkByName(settings, read.profile, request.byName)
  if (!allowed.ok) return allowed
  const called = { uid: principal.uid, name: request.body.skill }
  const found = { candidates: read.candidates, groups }
  const candidates = await findCandidates(ports, settings, called, found)
  const prepared = await validateCall(ports, settings, candidates, { principal, request })
  if (!prepared.ok) return prepared
  const timed = timeCall(request, prepared.value.skill, startedAtMs)
  if (!timed.ok) return timed
  const { deadlineMs } = timed.value
  if (ports.clock.nowMs() >= deadlineMs - DEADLINE_MARGIN_MS) return { ok: false, error: TOO_LATE }
  const { skill, standing } = await withStandingHold(ports, attempt, read.profile, timed.value)
  if (request.task?.resumes !== undefined && standing === undefined) return HOLD_ENDED
  // Before the hold: hooks that cannot be loaded cost no credits.
  if (prepared.value.skill.hooks.length > 0) await ports.hooks.open?.()
  const secrets = startLoadingSecrets(ports, prepared.value.skill, principal)
  const { countedAtMs, profile } = read
  const enteredMinute = toMinute(countedAtMs)
  const times = { startedAtMs, enteredMinute, ...timed.value, skill, standing }
  return ok({ ...prepared.value, ...times, secrets, callId, principal, profile })
}

/** A task that goes on has the price of its hold, whatever its skill costs by now. */
async function withStandingHold(
  { profiles }: Pick<ExecuteNeeds, 'profiles'>,
  { callId, request }: Attempt,
  seen: Profile,
  { skill }: Pick<ReadyCall, 'skill'>,
): Promise<Pick<ReadyCall, 'skill' | 'standing'>> {
  if (request.task?.resumes === undefined) return { skill }
  // The profile of a call may be read from an older state.
  const standing = seen.holds[callId] ?? (await profiles.read(seen.uid))?.holds[callId]
  if (standing === undefined) return { skill }
  return { skill: { ...skill, priceMicroCredits: standing.amount }, standing }
}

/** The caller no longer waits, so the upstream must not act any more. */
const TOO_LATE: Refusal = {
  code: 'timed_out',
  detail: 'The deadline of this call passed before it could begin. It was not charged.',
}
