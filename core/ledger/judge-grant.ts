/**
 * Decides whether a balance allows a grant or a correction. Only the upper limit applies to a
 * grant, and only the lower one to a correction, so that each can bring back a balance that is
 * beyond the other limit.
 */
import type { MicroCredits, NewGrant } from './ledger.ts'

/** The balances before the change that allow it; each limit is included. */
export type GrantBounds =
  | { readonly kind: 'at-most'; readonly credits: MicroCredits }
  | { readonly kind: 'at-least'; readonly credits: MicroCredits }

/** The bound for the balance before a grant, in micro-credits. */
export function computeGrantBounds({
  amount,
  creditsMax,
  creditsMin = 0,
}: Pick<NewGrant, 'amount' | 'creditsMax' | 'creditsMin'>): GrantBounds {
  if (amount < 0) return { kind: 'at-least', credits: creditsMin - amount }
  return { kind: 'at-most', credits: creditsMax - amount }
}
