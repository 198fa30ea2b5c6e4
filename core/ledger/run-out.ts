/**
 * When a user's calls will be refused for lack of credits, if the user goes on as in the last days.
 * Compares the mean charge of a day with the balance and with the budget of the month.
 */
import { toMonthBudget } from './budget.ts'
import type { MicroCredits, Profile } from './ledger.ts'
import { toMonth, toRenewalDay } from './month.ts'

/** Whole UTC days whose charges make the mean: a week, so that weekends count. */
export const RUN_OUT_MEAN_DAYS = 7
/** Users of one answer; with more, those who spend most are compared. An answer has 3 MB then. */
export const RUN_OUT_USERS_MAX = 10_000
/** Most days ahead of which a request may ask. */
export const RUN_OUT_WITHIN_DAYS_MAX = 90
export const RUN_OUT_WITHIN_DAYS_DEFAULT = 7

const DAY_MS = 86_400_000

export type RunOut = {
  /** Days of mean charges that are left; 0 if nothing is left. */
  readonly daysLeft: number
  /** What is used up first. */
  readonly reaches: 'balance' | 'budget'
}

/**
 * The forecast for a user who was charged `charged` in the last RUN_OUT_MEAN_DAYS days; undefined
 * if that is 0. A budget that renews before it is used up does not matter.
 */
export function forecastRunOut(
  { budget, credits }: Pick<Profile, 'budget' | 'credits'>,
  charged: MicroCredits,
  nowMs: number,
): RunOut | undefined {
  if (charged === 0) return undefined
  const toDays = (left: MicroCredits) => (Math.max(0, left) * RUN_OUT_MEAN_DAYS) / charged
  const ofBalance: RunOut = { daysLeft: toDays(credits), reaches: 'balance' }
  const ofMonth = toMonthBudget(budget, toMonth(nowMs))
  if (ofMonth === undefined) return ofBalance
  const daysLeft = toDays(ofMonth.limit - ofMonth.spent)
  const renewsInDays = (Date.parse(toRenewalDay(ofMonth.month)) - nowMs) / DAY_MS
  if (daysLeft >= renewsInDays || daysLeft >= ofBalance.daysLeft) return ofBalance
  return { daysLeft, reaches: 'budget' }
}
