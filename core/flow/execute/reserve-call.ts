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
import type { StandingProfile } from '../../ledger/leftovers.ts'
import type { Settings } from '../../settings.ts'
import { resolve } from '../../skills/resolve.ts'
import type { Candidates } from '../../skills/skill.ts'
import { type Groups, NO_GROUPS, visibleCandidates } from '../../skills/visible.ts'
import type { EventSettings } from '../events/note-crossings.ts'
import { noteRefusedByBudget } from '../events/note-user.ts'
import { migrateLate } from '../migration/migrate-late.ts'
import { type CallOrigin, originOf } from './call-origin.ts'
import {
  type ExecuteNeeds,
  type ExecuteRequest,
  type ExecuteResponse,
  problemAnswer,
} from './execute-request.ts'
import { hasStaleHold, healHolds } from './heal-holds.ts'
import { holdCredits } from './hold-credits.ts'
import { claimOrReplay, type KeyedCall } from './idempotent-call.ts'
import { claimState, freeState } from './input-state.ts'
import { judgeProfile } from './judge-profile.ts'
import { listedCandidates } from './listed-skill.ts'
import { logRefused } from './log-refused.ts'
import { type CallRecords, readForCall } from './read-for-call.ts'
import { secretsFor } from './secrets-of-call.ts'
import { callableSkill, type ReadyCall, validateCall } from './validate-call.ts'

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
  /** The user calls again and again, and the store takes out what charged calls leave behind. */
  readonly isInRow: boolean
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
    const seen = { candidates: read.candidates, profile, answer: replay.answer }
    const refusal = await replayRefusal(ports, settings, attempt, seen)
    if (refusal === undefined) return { kind: 'replayed', executed: { ...replay, headers } }
    logRefused(ports, attempt, refusal)
    return { kind: 'replayed', executed: { ...problemAnswer(attempt.callId, refusal), headers } }
  }
  const ready = profile.ok
    ? await readyCall(ports, settings, attempt, { ...read, profile: profile.value })
    : profile
  const readyAtMs = ports.clock.nowMs()
  const held = ready.ok ? await claimAndHold(ports, settings, ready.value) : ready
  if (ready.ok && held.ok) {
    const origin = originOf(attempt, { readyAtMs, heldAtMs: ports.clock.nowMs() })
    const { callExcerpts: keepsExcerpt, events } = settings
    const { isInRow } = read
    const shared = { call: ready.value, profile: held.value, isInRow, origin, keepsExcerpt, events }
    return { kind: 'held', ...shared, headers }
  }
  const refusal = held.ok ? TOO_LATE : held.error
  logRefused(ports, attempt, refusal)
  const answered = { ...problemAnswer(attempt.callId, refusal), headers }
  const note = ready.ok ? noteOf(ports, settings, ready.value, refusal) : {}
  return { kind: 'refused', executed: { ...answered, ...note } }
}

/** Costs a read for the first call of a month that a budget refuses, and nothing for those after it. */
function noteOf(
  ports: ExecuteNeeds,
  { events }: Settings,
  { principal, profile, skill }: ReadyCall,
  { code }: Refusal,
): Pick<ExecuteResponse, 'note'> {
  if (code !== 'budget_reached' || events === undefined) return {}
  const { keyHash, uid } = principal
  const heldAtMs = ports.clock.nowMs()
  const call = { uid, keyHash, amount: skill.priceMicroCredits, heldAtMs }
  const reached = countCall(profile, call).reached?.budget
  if (reached !== undefined && reached.toldMonth === reached.month) return {}
  return { note: () => noteRefusedByBudget(ports, events, call) }
}

/**
 * Why this caller gets no kept answer; undefined where they do. A repeat counts in the minute as any request
 * does, and gets what the caller may still ask for: the same skill, as it is found now.
 */
async function replayRefusal(
  ports: ExecuteNeeds,
  settings: Settings,
  attempt: Attempt,
  {
    answer,
    candidates,
    profile,
  }: Pick<CallRecords, 'candidates'> & {
    readonly profile: Result<Profile>
    readonly answer: ExecuteResponse['answer']
  },
): Promise<Refusal | undefined> {
  if (!profile.ok) return profile.error
  const { groups } = profile.value
  const found = await candidatesFor(ports, settings, attempt, { candidates, groups })
  const named = callableSkill(settings, found, attempt.request.body.skill)
  if (!named.ok) return named.error
  if (answer.kind !== 'success') return undefined
  const { skillId, source } = named.value.record
  const isSame = skillId === answer.body.skillId && source === answer.body.source
  return isSame ? undefined : OTHER_SKILL
}

const OTHER_SKILL: Refusal = {
  code: 'conflict',
  detail:
    'Idempotency-Key: the name meant another skill at the first call, and its answer is kept for that one alone. Use a new key to call the skill of this name.',
}

/** A name that means a skill by itself, the common case, waits for no further turn. */
async function candidatesFor(
  ports: ExecuteNeeds,
  settings: Settings,
  { principal, request }: Attempt,
  of: { readonly candidates: Candidates; readonly groups: Groups | undefined },
): Promise<Candidates> {
  const { groups = NO_GROUPS } = of
  const found = visibleCandidates(of.candidates, groups)
  if (resolve(found) !== undefined) return found
  const called = { uid: principal.uid, name: request.body.skill, groups, found }
  return listedCandidates(ports, settings, called)
}

async function readyCall(
  ports: ExecuteNeeds,
  settings: Settings,
  attempt: Attempt,
  read: Pick<CallRecords, 'candidates' | 'countedAtMs'> & { readonly profile: StandingProfile },
): Promise<Result<ReadyCall>> {
  const { callId, principal, request, startedAtMs } = attempt
  const { groups } = read.profile
  const { candidates: seen } = read
  const candidates = await candidatesFor(ports, settings, attempt, { candidates: seen, groups })
  const prepared = validateCall(ports, settings, candidates, request)
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

/** A call that is not placed leaves its state to the next one. */
async function claimAndHold(
  ports: ExecuteNeeds,
  settings: Settings,
  call: ReadyCall,
): Promise<Result<Profile>> {
  const { stateHash } = call
  if (stateHash === undefined) return hold(ports, settings, call)
  const use = { ...call, stateHash }
  const claimed = await claimState(ports, use)
  if (!claimed.ok) return claimed
  let held: Result<Profile> | undefined
  try {
    held = await hold(ports, settings, call)
  } finally {
    if (held?.ok !== true) await freeState(ports, use)
  }
  return held
}

function hold(ports: ExecuteNeeds, settings: Settings, call: ReadyCall): Promise<Result<Profile>> {
  if (hasStaleHold(call.profile, ports.clock.nowMs())) return healAndHold(ports, settings, call)
  // The common case makes no promise more.
  return call.profile.v0 === undefined
    ? holdCredits(ports, settings, call)
    : holdOrMigrate(ports, settings, call)
}

/** Ends the user's stale holds first: this call may need their credits. */
async function healAndHold(
  ports: ExecuteNeeds,
  settings: Settings,
  call: ReadyCall,
): Promise<Result<Profile>> {
  await healHolds(ports, call.profile)
  return holdOrMigrate(ports, settings, call)
}

async function holdOrMigrate(
  ports: ExecuteNeeds,
  settings: Settings,
  call: ReadyCall,
): Promise<Result<Profile>> {
  const held = await holdCredits(ports, settings, call)
  const { v0, uid } = call.profile
  if (held.ok || held.error.code !== 'insufficient_credits' || v0 === undefined) return held
  // The earlier service may have added credits since the move, and this call may need them.
  const { amount } = await migrateLate(ports, { uid })
  return amount > 0 ? holdCredits(ports, settings, call) : held
}

/** The caller has stopped waiting, so the upstream must not act any more. */
const TOO_LATE: Refusal = {
  code: 'timed_out',
  detail: 'The deadline of this call passed before it could begin. It was not charged.',
}
