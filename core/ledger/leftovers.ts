/**
 * Holds that stay behind charged calls. A store may leave the hold of such a call to the user's next hold, which takes
 * it out in its own write, and to the sweep where none comes. That moves no money: the price left the credits when it
 * was held. Pure. Bound by docs/service.md, Release, and ADR 0074.
 *
 * A leftover is known by its outcome: `settled`, and about a hold of this number. Numbers never come twice and a
 * void takes the hold along, so what was once seen as a leftover may be taken out at any later time.
 */
import type { Hold, Leftover, Outcome, Profile } from './ledger.ts'

/** Holds left behind at once: with one of a running call they keep a profile within the 1 kB of a write unit. */
export const LEFTOVERS_MAX = 2
/**
 * The user's last charged call began so short a time ago: then another one is likely before the sweep visits the
 * user, 60 to 120 s after the hold. At an even beat of this length half of the holds meet the sweep first.
 */
export const ROW_MS = 90_000
/** A hold of this age is of a call that has ended, in whatever way: a call lives 15 s. */
export const ENDED_HOLD_MS = 20_000

/** The part of an outcome that tells what became of a hold. */
export type EndedCall = Pick<Outcome, 'callId' | 'createdAtMs' | 'placement' | 'state'>

/**
 * A profile whose holds are those of calls that run or have died; what charged calls left behind is apart. Whoever
 * shows or counts holds takes this type.
 */
export type StandingProfile = Profile & { readonly leftovers: readonly Leftover[] }

type Holds = Profile['holds']

/** `ended`: outcomes of some of its holds, and of other calls. */
export function standing<P extends Pick<Profile, 'holds'>>(
  profile: P,
  ended: readonly EndedCall[],
): P & { readonly leftovers: readonly Leftover[] } {
  const leftovers = ended
    .filter((call) => isLeftover(profile.holds, call))
    .map(({ callId, placement }) => ({ callId, placement }))
  return { ...profile, holds: withoutCalls(profile.holds, leftovers), leftovers }
}

function isLeftover(holds: Holds, { callId, placement, state }: EndedCall): boolean {
  return (
    state === 'settled' && Object.hasOwn(holds, callId) && holds[callId]?.placement === placement
  )
}

/**
 * The calls whose holds may be leftovers: a hold is left only where it and the older ones are no more than
 * LEFTOVERS_MAX, and no older one comes after it.
 */
export function oldestHolds(holds: Holds): readonly string[] {
  return Object.entries(holds)
    .sort(([, a], [, b]) => a.placement - b.placement)
    .slice(0, LEFTOVERS_MAX)
    .map(([callId]) => callId)
}

/** The balance is at least that of this profile, whatever the outcomes of its holds are; `callId` runs. */
export function leastHolds(profile: Profile, callId: string): Profile {
  const unsure = oldestHolds(profile.holds).filter((one) => one !== callId)
  const gone = unsure.map((one) => ({ callId: one }))
  return { ...profile, holds: withoutCalls(profile.holds, gone) }
}

export function withoutCalls(
  holds: Holds,
  gone: readonly Pick<Leftover, 'callId'>[],
): { readonly [callId: string]: Hold } {
  if (gone.length === 0) return holds
  const ids = new Set(gone.map(({ callId }) => callId))
  return Object.fromEntries(Object.entries(holds).filter(([callId]) => !ids.has(callId)))
}

/** `recent`: the user's newest ended calls; undefined where the store leaves no hold behind. */
export function isInRow(recent: readonly EndedCall[] | undefined, nowMs: number): boolean {
  return (recent ?? []).some(
    ({ createdAtMs, placement, state }) =>
      state === 'settled' && placement > 0 && nowMs - createdAtMs <= ROW_MS,
  )
}

/**
 * What becomes of the hold of a charged call. `others`: the holds beside it when it was placed; undefined for a call
 * in no row. `release-with`: no other call can still run, so what they left behind is looked for, and goes as well.
 */
export function endOfHold(
  others: Holds | undefined,
  nowMs: number,
): 'leave' | 'release' | 'release-with' {
  if (others === undefined) return 'release'
  const all = Object.values(others)
  const isOver = ({ heldAtMs }: Hold) => nowMs - heldAtMs > ENDED_HOLD_MS
  if (all.length > 0 && all.every(isOver)) return 'release-with'
  return all.length < LEFTOVERS_MAX ? 'leave' : 'release'
}
