/**
 * Checks that a user's money adds up: every granted credit is spendable, on hold, charged for a
 * call, or taken by a correction (a grant of a negative amount). The caller reads one user's
 * records as they are at one moment. Bound by docs/service.md, Ledger: holds, outcomes and releases
 * conserve the sum.
 */
import type { MicroCredits, Outcome, Profile } from './ledger.ts'

export type Account = {
  readonly uid: string
  /** Undefined if there are ledger records but no user. */
  readonly profile: Pick<Profile, 'credits' | 'holds'> | undefined
  readonly grants: readonly { readonly grantId: string; readonly amount: MicroCredits }[]
  readonly outcomes: readonly Outcome[]
  /** Charges of calls whose records have expired; 0 by default. */
  readonly endedCharges?: MicroCredits
  /**
   * Descriptions of records that could not be read. Without those records, the sum proves nothing.
   */
  readonly unreadable: readonly string[]
}

export type Audit = {
  readonly uid: string
  readonly granted: MicroCredits
  readonly credits: MicroCredits
  readonly held: MicroCredits
  readonly charged: MicroCredits
  /** Above 0: credits that no grant gave. Below 0: missing credits that paid for no call. */
  readonly difference: number
  /** Descriptions of what does not add up; empty if everything does. */
  readonly faults: readonly string[]
}

/** Records whose amount equals the difference, listed as places to search. */
const SUSPECTS_MAX = 5

/** Checks one user. All amounts are micro-credits. */
export function auditAccount(account: Account): Audit {
  const { endedCharges = 0, grants, outcomes, profile, uid, unreadable } = account
  const granted = addAmounts(grants)
  const credits = profile?.credits ?? 0
  const held = addAmounts(Object.values(profile?.holds ?? {}))
  const charged =
    endedCharges + addAmounts(outcomes.filter((outcome) => hasLeftAccount(outcome, profile)))
  const difference = credits + held + charged - granted
  const orphaned = profile === undefined ? ['has ledger records but no profile'] : []
  return {
    uid,
    granted,
    credits,
    held,
    charged,
    difference,
    faults: [...orphaned, ...unreadable, ...describeDifference(account, difference)],
  }
}

/**
 * True if an outcome's credits have left the account. The hold of a settled call remains until the
 * release, and until then its credits are counted with the holds.
 */
function hasLeftAccount(
  { callId, placement, state }: Outcome,
  profile: Account['profile'],
): boolean {
  if (state !== 'settled') return false
  const holds = profile?.holds ?? {}
  return !Object.hasOwn(holds, callId) || holds[callId]?.placement !== placement
}

function describeDifference(account: Account, difference: number): readonly string[] {
  if (difference === 0) return []
  const size = difference > 0 ? 'more than was granted' : 'less than was granted'
  return [`the sum is ${size}`, ...listSuspects(account, Math.abs(difference))]
}

/** A single lost or repeated write makes a difference of exactly its own amount. */
function listSuspects(account: Account, amount: MicroCredits): readonly string[] {
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
      .filter((grant) => Math.abs(grant.amount) === amount)
      .map((grant) => `${grant.amount < 0 ? 'correction' : 'grant'} ${grant.grantId}`),
  ]
  const shown = found.slice(0, SUSPECTS_MAX).map((one) => `with exactly that amount: ${one}`)
  const more = found.length - shown.length
  return more > 0 ? [...shown, `with exactly that amount: ${more} more`] : shown
}

function addAmounts(records: readonly { readonly amount: MicroCredits }[]): MicroCredits {
  return records.reduce((sum, { amount }) => sum + amount, 0)
}
