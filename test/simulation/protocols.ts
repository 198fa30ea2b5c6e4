/**
 * Wrong protocols: each replaces a part behind a port, and so breaks one thing that the real
 * protocol relies on. The simulation must find the fault of each; otherwise it proves nothing.
 */
import { type Database, ONLY } from '../../adapters/memory/database.ts'
import type { Profile } from '../../core/ledger/ledger.ts'
import type { EndedCall } from '../../core/ledger/leftovers.ts'
import { monthOf } from '../../core/ledger/month.ts'
import type { IdempotencyRecords, Ledger, RateCounters } from '../../core/ports.ts'
import type { Ask } from './ask.ts'
import { PRICE_MICRO, START_MS, UID } from './user.ts'

export type Protocol = {
  readonly name: string
  /** The fault that the checks must report. */
  readonly foundBy: RegExp
  /** Replaces the effect of one atomic step of the store. */
  readonly store?: (ledger: Ledger, database: Database) => Ledger
  /** Replaces the steps of a process, each of which is a request of its own. */
  readonly process?: (ledger: Ledger, ask: Ask, database: Database) => Ledger
  /** Where few schedules find it, a seed shortly before one that does. */
  readonly firstSeed?: number
  readonly rateCounters?: (counters: RateCounters) => RateCounters
  readonly answers?: (answers: IdempotencyRecords) => IdempotencyRecords
  /** Replaces what a call reads of the user's ended calls. */
  readonly recent?: (calls: readonly EndedCall[] | undefined) => readonly EndedCall[] | undefined
  /** Replaces a profile that a process reads. */
  readonly profileRead?: (profile: Profile) => Profile
}

export const REAL: Protocol = { name: 'the real protocol', foundBy: /nothing/ }

const SUM = /credits \+ holds \+ settled/

export const WRONG_PROTOCOLS: readonly Protocol[] = [
  {
    name: 'a release before the outcome',
    foundBy: SUM,
    process: (ledger) => ({
      ...ledger,
      decide: async (outcome) => {
        const { uid, callId, placement, state } = outcome
        await ledger.release({ uid, callId, giveBack: state === 'refunded', placement })
        return ledger.decide(outcome)
      },
    }),
  },
  {
    name: 'a refund without a condition',
    foundBy: SUM,
    store: (ledger, database) => ({
      ...ledger,
      release: (request) => {
        const before = database.profiles.get(UID, ONLY)
        const released = ledger.release(request)
        const after = database.profiles.get(UID, ONLY)
        if (after === undefined || after !== before || !request.giveBack) return released
        const paid = { ...after, credits: after.credits + PRICE_MICRO }
        database.profiles.put(UID, ONLY, paid)
        return Promise.resolve(paid)
      },
    }),
  },
  {
    name: 'a hold that no budget counts',
    foundBy: /budget of/,
    store: (ledger, database) => ({
      ...ledger,
      hold: async (request) => {
        const before = database.profiles.get(UID, ONLY)
        const answer = await ledger.hold(request)
        if (answer.kind === 'held') restoreBudgets(database, before)
        return answer
      },
    }),
  },
  {
    name: 'a refund to whatever month it is',
    foundBy: /budget of/,
    // Few schedules refund a hold of the old month in the new one.
    firstSeed: 2_400,
    store: (ledger, database) => ({
      ...ledger,
      release: (request) => {
        const before = database.profiles.get(UID, ONLY)
        const isNext = (before?.budget?.month ?? '') > monthOf(START_MS)
        const isOld = before?.holds[request.callId]?.counted?.month === monthOf(START_MS)
        const released = ledger.release(request)
        if (isNext && isOld && request.giveBack) spendLess(database)
        return released
      },
    }),
  },
  {
    name: 'a last outcome that wins',
    foundBy: /is paid for|credits \+ holds/,
    store: (ledger, database) => ({
      ...ledger,
      decide: async (outcome) => {
        database.outcomes.put(outcome.uid, outcome.callId, outcome)
        return outcome
      },
    }),
  },
  {
    name: 'a call that is settled before its answer, whatever the answer is',
    foundBy: /told to have failed and is paid for/,
    process: (ledger) => ({
      ...ledger,
      decide: (outcome) =>
        ledger.decide(
          outcome.reason === 'timed_out'
            ? { ...outcome, state: 'settled', reason: undefined }
            : outcome,
        ),
    }),
  },
  {
    name: 'a release of whatever hold the call has',
    foundBy: SUM,
    store: (ledger, database) => ({
      ...ledger,
      hold: (request) => {
        const held = ledger.hold(request)
        const profile = database.profiles.get(UID, ONLY)
        const hold = profile?.holds[request.callId]
        if (
          profile === undefined ||
          hold === undefined ||
          hold.writeToken !== request.hold.writeToken
        )
          return held
        const holds = { ...profile.holds, [request.callId]: { ...hold, placement: 1 } }
        database.profiles.put(UID, ONLY, { ...profile, holds })
        return Promise.resolve({ kind: 'held', profile: { ...profile, holds } })
      },
    }),
  },
  {
    name: 'a void in two writes',
    foundBy: SUM,
    process: (ledger, ask, database) => ({
      ...ledger,
      voidSettled: async ({ uid, callId, reason }) => {
        const standing = await ledger.find({ uid, callId })
        if (standing === undefined || standing.state === 'refunded') return standing
        const voided = { ...standing, state: 'refunded' as const, reason }
        await ask('void, first write', 'write', async () =>
          database.outcomes.put(uid, callId, voided),
        )
        await ask('void, second write', 'write', async () =>
          payOut(database, callId, standing.amount),
        )
        return voided
      },
    }),
  },
  {
    name: 'a hold in a read and a write',
    foundBy: /credits \+ holds|holds, at most/,
    process: (ledger, ask, database) => ({
      ...ledger,
      hold: async (request) => {
        const profile = await ask('hold, read', 'read', async () =>
          database.profiles.get(UID, ONLY),
        )
        if (profile === undefined || profile.credits < request.hold.amount)
          return ledger.hold(request)
        const held = {
          ...profile,
          credits: profile.credits - request.hold.amount,
          holds: { ...profile.holds, [request.callId]: { ...request.hold, placement: 1 } },
        }
        await ask('hold, write', 'write', async () => database.profiles.put(UID, ONLY, held))
        return { kind: 'held', profile: held }
      },
    }),
  },
  {
    name: 'a hold on credit',
    foundBy: /credits are -/,
    store: (ledger, database) => ({
      ...ledger,
      hold: (request) => {
        const profile = database.profiles.get(UID, ONLY)
        const { amount } = request.hold
        if (profile === undefined || profile.credits >= amount) return ledger.hold(request)
        database.profiles.put(UID, ONLY, { ...profile, credits: profile.credits + amount })
        const held = ledger.hold(request)
        const lent = database.profiles.get(UID, ONLY) ?? profile
        database.profiles.put(UID, ONLY, { ...lent, credits: lent.credits - amount })
        return held
      },
    }),
  },
  {
    name: 'any number of holds',
    foundBy: /holds, at most/,
    store: (ledger) => ({ ...ledger, hold: (what) => ledger.hold({ ...what, holdsMax: 1_000 }) }),
  },
  {
    name: 'a void that leaves settled calls alone',
    foundBy: /was voided and is paid for/,
    process: (ledger) => ({ ...ledger, voidSettled: (what) => ledger.find(what) }),
  },
  {
    name: 'a sweep that takes running calls for dead ones',
    foundBy: /succeeded undisturbed/,
    profileRead: (profile) => {
      const aged = Object.entries(profile.holds).map(([callId, hold]) => {
        return [callId, { ...hold, heldAtMs: hold.heldAtMs - 61_000 }]
      })
      return { ...profile, holds: Object.fromEntries(aged) }
    },
  },
  {
    name: 'a hold without a sweep entry',
    foundBy: /never ended/,
    rateCounters: (counters) => ({
      ...counters,
      count: ({ uid: _nobody, ...counter }) => counters.count(counter),
    }),
  },
  {
    name: 'an Idempotency-Key that every attempt may claim',
    foundBy: /executed [23] times|charged 600000/,
    answers: (answers) => ({ ...answers, claim: async () => ({ kind: 'claimed' }) }),
  },
  {
    name: 'a grant that forgets its id',
    foundBy: SUM,
    store: (ledger, database) => ({
      ...ledger,
      grant: (request) => {
        database.grants.remove(UID, request.grantId)
        return ledger.grant(request)
      },
    }),
  },
]

/** Of a store that leaves holds of charged calls behind. */
export const WRONG_LEAVING: readonly Protocol[] = [
  {
    name: 'a leftover that is given back',
    foundBy: SUM,
    store: (ledger, database) => ({
      ...ledger,
      hold: (request) => {
        const before = database.profiles.get(UID, ONLY)
        const held = ledger.hold(request)
        const after = database.profiles.get(UID, ONLY)
        const isGone = request.leftovers?.some(
          ({ callId }) => before?.holds[callId] !== undefined && after?.holds[callId] === undefined,
        )
        if (isGone !== true || after === undefined) return held
        database.profiles.put(UID, ONLY, { ...after, credits: after.credits + PRICE_MICRO })
        return held
      },
    }),
  },
  {
    name: 'a leftover that is taken out whatever its number is',
    foundBy: SUM,
    // It takes a hold that is carried out late, after its own call was charged and its leftover is gone.
    firstSeed: 1_400,
    store: (ledger, database) => ({
      ...ledger,
      hold: (request) => {
        const holds = database.profiles.get(UID, ONLY)?.holds ?? {}
        const leftovers = request.leftovers?.map((one) => {
          return { ...one, placement: holds[one.callId]?.placement ?? one.placement }
        })
        return ledger.hold(leftovers === undefined ? request : { ...request, leftovers })
      },
    }),
  },
  {
    name: 'a leftover for which there is room twice',
    foundBy: /holds, at most/,
    store: (ledger) => ({
      ...ledger,
      hold: (request) => {
        const { holdsMax, leftovers = [] } = request
        return ledger.hold({ ...request, holdsMax: holdsMax + leftovers.length })
      },
    }),
  },
  {
    name: 'a refunded call whose hold counts as left behind',
    foundBy: SUM,
    recent: (calls) => calls?.map((call) => ({ ...call, state: 'settled' })),
  },
  {
    name: 'a balance that counts what is left behind',
    foundBy: /was shown/,
    process: (ledger) => ({ ...ledger, find: async () => undefined }),
  },
  {
    name: 'a release of a leftover that a void has refunded, with its credits',
    foundBy: SUM,
    store: (ledger, database) => ({
      ...ledger,
      voidSettled: (request) => {
        const before = database.profiles.get(UID, ONLY)
        const voided = ledger.voidSettled(request)
        const after = database.profiles.get(UID, ONLY)
        const hold = before?.holds[request.callId]
        if (after === undefined || hold === undefined) return voided
        const holds = { ...after.holds, [request.callId]: hold }
        database.profiles.put(UID, ONLY, { ...after, holds })
        return voided
      },
    }),
  },
]

function restoreBudgets(database: Database, before: Profile | undefined): void {
  const profile = database.profiles.get(UID, ONLY)
  if (profile === undefined || before?.budget === undefined) return
  database.profiles.put(UID, ONLY, { ...profile, budget: before.budget })
}

function spendLess(database: Database): void {
  const profile = database.profiles.get(UID, ONLY)
  if (profile?.budget === undefined) return
  const budget = { ...profile.budget, spent: profile.budget.spent - PRICE_MICRO }
  database.profiles.put(UID, ONLY, { ...profile, budget })
}

/** Gives the amount back and removes the hold, without checking either. */
function payOut(database: Database, callId: string, amount: number): void {
  const profile = database.profiles.get(UID, ONLY)
  if (profile === undefined) return
  const { [callId]: _gone, ...holds } = profile.holds
  database.profiles.put(UID, ONLY, { ...profile, holds, credits: profile.credits + amount })
}
