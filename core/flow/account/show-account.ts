/** GET me: who the caller is here, what the user can still spend, and where tools are called. */

import { readUserState, type UserState } from '../../access/user-state.ts'
import { findKeyBudget } from '../../ledger/budget.ts'
import { findKeyDay } from '../../ledger/key-days.ts'
import type { CreditPrice } from '../../settings/credit-price.ts'
import type { Settings } from '../../settings.ts'
import { type BudgetView, toBudgetView } from '../users/budget-view.ts'
import { type KeyDayView, toKeyDayView } from '../users/key-day-view.ts'
import { type BalanceView, toBalanceView } from '../users/user-view.ts'
import { type AccountCaller, findManageRefusal } from './may-manage.ts'

export type AccountView = BalanceView & {
  readonly uid: string
  readonly username: string
  readonly state: UserState
  readonly tier: string
  readonly groups?: readonly string[]
  readonly creditPrice?: CreditPrice
  /** The key under which the caller's calls are counted, as the list of keys shows it. */
  readonly keyId: string
  readonly keyBudget?: BudgetView
  readonly keyCallsPerDay?: KeyDayView
  /** The credential may make keys, set secrets and end logins. */
  readonly mayManage: boolean
  /** Where tools are called. A member is absent if the gateway does not know the URL. */
  readonly urls: { readonly mcp?: string; readonly sse?: string; readonly execute?: string }
  /** People can log in with their MCP clients. */
  readonly login: boolean
}

/** Amounts are credits. `nowMs` decides the month and the day of limits. */
export function showAccount(settings: Settings, caller: AccountCaller, nowMs: number): AccountView {
  const { principal, profile } = caller
  const { creditPrice, issuers, login } = settings
  const budget = findKeyBudget(profile, principal.keyHash)
  const day = findKeyDay(profile, principal.keyHash)
  return {
    uid: profile.uid,
    username: profile.username,
    state: readUserState(profile),
    tier: profile.tier,
    ...(profile.groups === undefined ? {} : { groups: profile.groups }),
    ...toBalanceView(profile, nowMs),
    ...(creditPrice === undefined ? {} : { creditPrice }),
    keyId: principal.keyHash,
    ...(budget === undefined ? {} : { keyBudget: toBudgetView(budget, nowMs) }),
    ...(day === undefined ? {} : { keyCallsPerDay: toKeyDayView(day, nowMs) }),
    mayManage: findManageRefusal(caller) === undefined,
    urls: listUrls(settings),
    login: login !== undefined || issuers.length > 0,
  }
}

function listUrls({ executeUrl, mcpUrl, sseUrl }: Settings): AccountView['urls'] {
  return {
    ...(mcpUrl === undefined ? {} : { mcp: mcpUrl }),
    ...(sseUrl === undefined ? {} : { sse: sseUrl }),
    ...(executeUrl === undefined ? {} : { execute: executeUrl }),
  }
}
