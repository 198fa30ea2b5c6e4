/**
 * Whether a user's money adds up: what was granted is there to spend, on hold, or was charged for a
 * call. Pure; who reads the store hands in one user's records as they stood at one moment. Bound by
 * docs/service.md, Ledger: holds, outcomes and releases conserve the sum.
 */
import type { MicroCredits, Outcome, Profile } from './ledger.ts'

export type Account = {
  readonly uid: string
  /** Undefined: there are ledger records and no user. */
  readonly profile: Pick<Profile, 'credits' | 'holds'> | undefined
  readonly grants: readonly { readonly grantId: string; readonly amount: MicroCredits }[]
  readonly outcomes: readonly Outcome[]
  /** Records that nobody could read, in words: the sum without them proves nothing. */
  readonly unreadable: readonly string[]
}

export type Audit = {
  readonly uid: string
  readonly granted: MicroCredits
  readonly credits: MicroCredits
  readonly held: MicroCredits
  readonly charged: MicroCredits
  /** Over 0: credits that nobody granted. Under 0: credits that are gone and that no call cost. */
  readonly difference: number
  /** What does not add up, in words; empty when all does. */
  readonly faults: readonly string[]
}

/** Records of the missing amount that are named as a place to look. */
const SUSPECTS_MAX = 5

export function auditAccount(account: Account): Audit {
  const { grants, outcomes, profile, uid, unreadable } = account
  const granted = sumOf(grants)
  const credits = profile?.credits ?? 0
  const held = sumOf(Object.values(profile?.holds ?? {}))
  const charged = sumOf(outcomes.filter((outcome) => isGone(outcome, profile)))
  const difference = credits + held + charged - granted
  const orphaned = profile === undefined ? ['has ledger records, and no profile'] : []
  return {
    uid,
    granted,
    credits,
    held,
    charged,
    difference,
    faults: [...orphaned, ...unreadable, ...differenceFaults(account, difference)],
  }
}

/**
 * Whether an outcome's credits left the account for good. While the hold that a settled outcome is
 * about is still there (its release is on the way), they are counted with the holds.
 */
function isGone(outcome: Outcome, profile: Account['profile']): boolean {
  if (outcome.state !== 'settled') return false
  const { callId } = outcome
  const holds = profile?.holds ?? {}
  const hold = Object.hasOwn(holds, callId) ? holds[callId] : undefined
  return hold === undefined || hold.placement !== outcome.placement
}

function differenceFaults(account: Account, difference: number): readonly string[] {
  if (difference === 0) return []
  const what = difference > 0 ? 'more than was granted' : 'less than was granted'
  return [`the sum is ${what}`, ...suspects(account, Math.abs(difference))]
}

/** A single lost or doubled write leaves a difference of its own amount. */
function suspects(account: Account, amount: MicroCredits): readonly string[] {
  const found = [
    ...account.outcomes
      .filter((outcome) => outcome.amount === amount)
      .map(
        ({ callId, reason, state }) => `call ${callId}, ${state}${reason ? ` (${reason})` : ''}`,
      ),
    ...Object.entries(account.profile?.holds ?? {})
      .filter(([, hold]) => hold.amount === amount)
      .map(([callId]) => `call ${callId}, on hold`),
    ...account.grants
      .filter((grant) => grant.amount === amount)
      .map(({ grantId }) => `grant ${grantId}`),
  ]
  const shown = found.slice(0, SUSPECTS_MAX).map((one) => `of that amount: ${one}`)
  const more = found.length - shown.length
  return more > 0 ? [...shown, `of that amount: ${more} more`] : shown
}

function sumOf(records: readonly { readonly amount: MicroCredits }[]): MicroCredits {
  return records.reduce((sum, { amount }) => sum + amount, 0)
}
