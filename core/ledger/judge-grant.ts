/**
 * Whether a balance lets a grant or a correction through; the one rule that every store follows. A
 * grant is bound by the upper limit alone, and a correction by the lower one alone, so that each can
 * bring a balance back that is past the other limit.
 */
import type { MicroCredits, NewGrant } from './ledger.ts'

/** The balances before the change that let it through; each limit is included. */
export type GrantBounds =
  | { readonly kind: 'at-most'; readonly credits: MicroCredits }
  | { readonly kind: 'at-least'; readonly credits: MicroCredits }

export function grantBounds({
  amount,
  creditsMax,
  creditsMin = 0,
}: Pick<NewGrant, 'amount' | 'creditsMax' | 'creditsMin'>): GrantBounds {
  if (amount < 0) return { kind: 'at-least', credits: creditsMin - amount }
  return { kind: 'at-most', credits: creditsMax - amount }
}
