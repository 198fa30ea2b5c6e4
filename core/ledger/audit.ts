/**
 * Whether a user's money adds up: every granted credit is spendable, on hold, charged for a call, or
 * taken by a correction, which is a grant of a negative amount. Pure: the caller reads one user's records as they stood at one moment. Bound by
 * docs/service.md, Ledger: holds, outcomes and releases conserve the sum.
 */
import type { MicroCredits, Outcome, Profile } from './ledger.ts'

export type Account = {
  readonly uid: string
  /** Undefined when there are ledger records but no user. */
  readonly profile: Pick<Profile, 'credits' | 'holds'> | undefined
  readonly grants: readonly { readonly grantId: string; readonly amount: MicroCredits }[]
  readonly outcomes: readonly Outcome[]
  /** Charges of calls whose records have expired; 0 by default. */
  readonly endedCharges?: MicroCredits
  /** Descriptions of records that could not be read; without them the sum proves nothing. */
  readonly unreadable: readonly string[]
}

export type Audit = {
  readonly uid: string
  readonly granted: MicroCredits
  readonly credits: MicroCredits
  readonly held: MicroCredits
  readonly charged: MicroCredits
  /**
   * Above 0: credits that no grant gave. Below 0: credits that are missing and paid for no call.
   */
  readonly difference: number
  /** Descriptions of what does not add up; empty when everything does. */
  readonly faults: readonly string[]
}

/** Records whose amount equals the difference, named as places to look. */
const SUSPECTS_MAX = 5

export function auditAccount(account: Account): Audit {
  const { endedCharges = 0, grants, outcomes, profile, uid, unreadable } = account
  const granted = sumOf(grants)
  const credits = profile?.credits ?? 0
  const held = sumOf(Object.values(profile?.holds ?? {}))
  const charged = endedCharges + sumOf(outcomes.filter((outcome) => isGone(outcome, profile)))
  const difference = credits + held + charged - granted
  const orphaned = profile === undefined ? ['has ledger records but no profile'] : []
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
 * Whether an outcome's credits have left the account. The hold of a settled call stands until the release, and
 * its credits are counted with the holds until then.
 */
function isGone({ callId, placement, state }: Outcome, profile: Account['profile']): boolean {
  if (state !== 'settled') return false
  const holds = profile?.holds ?? {}
  return !Object.hasOwn(holds, callId) || holds[callId]?.placement !== placement
}

function differenceFaults(account: Account, difference: number): readonly string[] {
  if (difference === 0) return []
  const size = difference > 0 ? 'more than was granted' : 'less than was granted'
  return [`the sum is ${size}`, ...suspects(account, Math.abs(difference))]
}

/** A single lost or doubled write makes a difference of exactly its own amount. */
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
      .filter((grant) => Math.abs(grant.amount) === amount)
      .map((grant) => `${grant.amount < 0 ? 'correction' : 'grant'} ${grant.grantId}`),
  ]
  const shown = found.slice(0, SUSPECTS_MAX).map((one) => `with exactly that amount: ${one}`)
  const more = found.length - shown.length
  return more > 0 ? [...shown, `with exactly that amount: ${more} more`] : shown
}

function sumOf(records: readonly { readonly amount: MicroCredits }[]): MicroCredits {
  return records.reduce((sum, { amount }) => sum + amount, 0)
}
