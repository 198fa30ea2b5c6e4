/**
 * In-memory twin of the port Ledger. No method awaits between its reads and its writes, so two
 * callers never see each other half done; what changes two rows commits them in one step. Bound by
 * docs/service.md, Ledger and Void.
 */
import { isLeaving } from '../../core/access/user-state.ts'
import { CALL_ID_RANGE } from '../../core/call/call-id.ts'
import { countCall, giveBack } from '../../core/ledger/budget.ts'
import { judgeGrant } from '../../core/ledger/judge-grant.ts'
import { judgeHold } from '../../core/ledger/judge-hold.ts'
import type {
  Counted,
  GrantAnswer,
  Hold,
  HoldAnswer,
  MicroCredits,
  Outcome,
  Profile,
} from '../../core/ledger/ledger.ts'
import { GRANTS_PAGE_MAX, LEDGER_PAGE_MAX } from '../../core/ledger/limits.ts'
import type { Ledger } from '../../core/ports.ts'
import { type Database, ONLY } from './database.ts'

export function memoryLedger(database: Database): Ledger {
  return {
    hold: async (request) => placeHold(database, request),
    decide: async (outcome) => {
      // The first outcome stands; a crash between this and the release is healed by the sweep.
      const standing = database.outcomes.get(outcome.uid, outcome.callId)
      if (standing !== undefined) return standing
      database.outcomes.put(outcome.uid, outcome.callId, outcome)
      database.bells.ring(`call:${outcome.callId}`)
      return outcome
    },
    release: async ({ uid, callId, giveBack: isGivenBack, placement }) => {
      const profile = database.profiles.get(uid, ONLY)
      const hold = holdOf(profile, callId)
      if (profile === undefined || hold === undefined) return profile
      if (placement !== undefined && hold.placement !== placement) return profile
      const rest = withoutHold(profile, callId)
      const after = isGivenBack ? refunded(rest, hold.amount, hold.counted) : rest
      database.profiles.put(uid, ONLY, after)
      return after
    },
    find: async ({ uid, callId }) => database.outcomes.get(uid, callId),
    list: async (of) => listOutcomes(database, of),
    voidSettled: async (request) => turnIntoRefund(database, request),
    grant: async (request) => grantOnce(database, request),
    grants: async (of) => listGrants(database, of),
    dropReasons: async (of) => {
      const { grants, next } = listGrants(database, of)
      for (const grant of grants) {
        database.grants.put(of.uid, grant.grantId, { ...grant, reason: undefined })
      }
      return next
    },
  }
}

/** Nothing changes on a refusal, or when the hold stands already. */
function placeHold(database: Database, request: Parameters<Ledger['hold']>[0]): HoldAnswer {
  const { uid, callId, hold, keyHash } = request
  const judged = judgeHold(database.profiles.get(uid, ONLY), request)
  if (judged.kind !== 'open') return judged
  const { profile } = judged
  const placement = (database.placements.get(uid, ONLY) ?? 0) + 1
  const { after: budgets, counted } = countCall(profile, { ...hold, keyHash })
  const placed = { ...hold, placement, ...(counted === undefined ? {} : { counted }) }
  const after = {
    ...profile,
    ...budgets,
    credits: profile.credits - hold.amount,
    holds: withHold(profile.holds, callId, placed),
  }
  database.commit([
    database.placements.putting(uid, ONLY, placement),
    database.profiles.putting(uid, ONLY, after),
  ])
  return { kind: 'held', profile: after }
}

/** Takes the hold along if it is still there, so that no later release pays a second time. */
function turnIntoRefund(
  database: Database,
  request: Parameters<Ledger['voidSettled']>[0],
): Outcome | undefined {
  const { uid, callId, reason, nowMs } = request
  const outcome = database.outcomes.get(uid, callId)
  if (outcome === undefined || outcome.state === 'refunded') return outcome
  const profile = database.profiles.get(uid, ONLY)
  // The user was removed, so nothing can be given back.
  if (profile === undefined) return outcome
  const voided: Outcome = { ...outcome, state: 'refunded', reason, endedAtMs: nowMs }
  // A hold that the outcome is not about is a late duplicate: its credits come back as well.
  const hold = holdOf(profile, callId)
  const duplicate = hold?.placement === outcome.placement ? undefined : hold
  const paid = refunded(withoutHold(profile, callId), outcome.amount, outcome.counted)
  const after = duplicate === undefined ? paid : refunded(paid, duplicate.amount, duplicate.counted)
  database.commit([
    database.outcomes.putting(uid, callId, voided),
    database.profiles.putting(uid, ONLY, after),
  ])
  database.bells.ring(`call:${callId}`)
  return voided
}

/** Gives credits back, and room in the budgets that counted them. */
function refunded(profile: Profile, amount: MicroCredits, counted: Counted | undefined): Profile {
  const credits = profile.credits + amount
  return { ...profile, ...giveBack(profile, counted, amount), credits }
}

function listOutcomes(
  database: Database,
  { uid, before = CALL_ID_RANGE.to, limit }: Parameters<Ledger['list']>[0],
): Awaited<ReturnType<Ledger['list']>> {
  const size = Math.min(limit, LEDGER_PAGE_MAX)
  const older = database.outcomes.list(uid, {
    after: CALL_ID_RANGE.from,
    before: before < CALL_ID_RANGE.to ? before : CALL_ID_RANGE.to,
    backwards: true,
    limit: size + 1,
  })
  const outcomes = older.slice(0, size)
  return { outcomes, next: older.length > size ? outcomes.at(-1)?.callId : undefined }
}

function grantOnce(database: Database, request: Parameters<Ledger['grant']>[0]): GrantAnswer {
  const { uid, grantId, amount, by, nowMs, reason } = request
  const profile = database.profiles.get(uid, ONLY)
  if (profile === undefined) return { kind: 'no_profile' }
  if (isLeaving(profile)) return { kind: 'leaving' }
  const standing = database.grants.get(uid, grantId)
  if (standing !== undefined) {
    if (standing.amount !== amount) return { kind: 'conflict', amount: standing.amount }
    return { kind: 'repeated', profile }
  }
  const judged = judgeGrant(profile.credits, request)
  if (judged.kind !== 'fits') return judged
  const after = { ...profile, credits: profile.credits + amount }
  database.commit([
    database.profiles.putting(uid, ONLY, after),
    database.grants.putting(uid, grantId, { grantId, amount, reason, by, createdAtMs: nowMs }),
  ])
  return { kind: 'granted', profile: after }
}

function listGrants(
  database: Database,
  { uid, after, limit }: Parameters<Ledger['grants']>[0],
): Awaited<ReturnType<Ledger['grants']>> {
  const size = Math.min(limit, GRANTS_PAGE_MAX)
  const found = database.grants.list(uid, { after, limit: size + 1 })
  const grants = found.slice(0, size)
  return { grants, next: found.length > size ? grants.at(-1)?.grantId : undefined }
}

function holdOf(profile: Profile | undefined, callId: string): Hold | undefined {
  if (profile === undefined || !Object.hasOwn(profile.holds, callId)) return undefined
  return profile.holds[callId]
}

/**
 * Objects without a prototype, name by name: V8 keeps those as dictionaries. A literal with a new name
 * for each call would have it make, and never use again, a shape for each.
 */
function withHold(holds: Profile['holds'], callId: string, hold: Hold): Profile['holds'] {
  const after: { [callId: string]: Hold } = Object.create(null)
  Object.assign(after, holds)
  after[callId] = hold
  return after
}

function withoutHold(profile: Profile, callId: string): Profile {
  const holds: { [callId: string]: Hold } = Object.create(null)
  Object.assign(holds, profile.holds)
  delete holds[callId]
  return { ...profile, holds }
}
