/** A user's profile as administrators see it. Amounts are decimals of credits. */
import { stateOf, type UserState } from '../../access/user-state.ts'
import { creditsNumber } from '../../ledger/amount.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { ToolListKind } from '../../skills/tool-list-kind.ts'
import { type BudgetView, shownBudget } from './budget-view.ts'

export type UserView = {
  readonly uid: string
  readonly username: string
  readonly tier: string
  readonly credits: number
  readonly creditsOnHold: number
  readonly createdAtMs: number
  readonly state: UserState
  /** Why the user is not active; absent for an active user. */
  readonly reason?: string
  readonly identity?: string
  readonly monthlyBudget?: BudgetView
  /** Groups whose skills the user sees besides those for everyone; absent for none. */
  readonly groups?: readonly string[]
  readonly lowBalance?: number
  /** Absent for the list of the stage. */
  readonly list?: ToolListKind
}

/** The view of a profile; `nowMs` decides the month of the budget. */
export function viewOf(profile: Profile, nowMs: number): UserView {
  const { disabled, identity } = profile
  const held = Object.values(profile.holds).reduce((sum, hold) => sum + hold.amount, 0)
  return {
    uid: profile.uid,
    username: profile.username,
    tier: profile.tier,
    credits: creditsNumber(profile.credits),
    creditsOnHold: creditsNumber(held),
    createdAtMs: profile.createdAtMs,
    state: stateOf(profile),
    ...(disabled === undefined ? {} : { reason: disabled.reason }),
    ...(identity === undefined ? {} : { identity }),
    ...shownBudget(profile.budget, nowMs),
    ...(profile.groups === undefined ? {} : { groups: profile.groups }),
    ...(profile.lowBalanceAt === undefined
      ? {}
      : { lowBalance: creditsNumber(profile.lowBalanceAt) }),
    ...(profile.list === undefined ? {} : { list: profile.list }),
  }
}
