/** A user's profile as administrators see it. Amounts are credits, with a fraction. */
import { readUserState, type UserState } from '../../access/user-state.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { ToolListKind } from '../../skills/tool-list-kind.ts'
import { type BudgetView, toBudgetMember } from './budget-view.ts'

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
  /** A name of the user outside the gateway, such as an e-mail address. */
  readonly identity?: string
  readonly monthlyBudget?: BudgetView
  /** Groups whose skills the user sees besides those for everyone; absent for none. */
  readonly groups?: readonly string[]
  /** The balance at or below which an event tells of a low balance. */
  readonly lowBalance?: number
  /** Absent for the list of the stage. */
  readonly list?: ToolListKind
}

/** What a user can still spend, as lists show it. */
export type BalanceView = Pick<UserView, 'credits' | 'creditsOnHold' | 'monthlyBudget'>

/** The balance of a profile; `nowMs` decides the month of the budget. */
export function toBalanceView(profile: Profile, nowMs: number): BalanceView {
  const { credits, creditsOnHold, monthlyBudget } = toUserView(profile, nowMs)
  return { credits, creditsOnHold, ...(monthlyBudget === undefined ? {} : { monthlyBudget }) }
}

/** The view of a profile; `nowMs` decides the month of the budget. */
export function toUserView(profile: Profile, nowMs: number): UserView {
  const { disabled, identity } = profile
  const held = Object.values(profile.holds).reduce((sum, hold) => sum + hold.amount, 0)
  return {
    uid: profile.uid,
    username: profile.username,
    tier: profile.tier,
    credits: toCreditsNumber(profile.credits),
    creditsOnHold: toCreditsNumber(held),
    createdAtMs: profile.createdAtMs,
    state: readUserState(profile),
    ...(disabled === undefined ? {} : { reason: disabled.reason }),
    ...(identity === undefined ? {} : { identity }),
    ...toBudgetMember(profile.budget, nowMs),
    ...(profile.groups === undefined ? {} : { groups: profile.groups }),
    ...(profile.lowBalanceAt === undefined
      ? {}
      : { lowBalance: toCreditsNumber(profile.lowBalanceAt) }),
    ...(profile.list === undefined ? {} : { list: profile.list }),
  }
}
