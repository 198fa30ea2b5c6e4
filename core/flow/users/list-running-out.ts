/**
 * GET users:running-out: the active users whose balance or budget will be used up soon, soonest
 * first. Reads the sums of usage by user, and the profiles of the users with charges. Users without
 * a charge in that time use nothing up. Bound by docs/admin-api.md, GET users:running-out.
 */
import { readUserState } from '../../access/user-state.ts'
import { ok, type Result } from '../../errors.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import type { MicroCredits, Profile } from '../../ledger/ledger.ts'
import {
  forecastRunOut,
  RUN_OUT_MEAN_DAYS,
  RUN_OUT_USERS_MAX,
  RUN_OUT_WITHIN_DAYS_DEFAULT,
  type RunOut,
} from '../../ledger/run-out.ts'
import type { Ports } from '../../ports/ports.ts'
import { toHour } from '../../usage/slots.ts'
import type { UsageSum } from '../../usage/usage-sum.ts'
import type { SumReadNeeds } from '../usage/read-sums.ts'
import { addUpUsers } from '../usage/read-usage.ts'
import { type BalanceRow, toBalanceRow } from './list-debts.ts'
import { readProfiles } from './read-profiles.ts'

export type RunningOutRow = BalanceRow & RunOut & { readonly chargedPerDay: number }

export type RunningOut = {
  /** The whole UTC days whose charges make the mean. */
  readonly sinceMs: number
  readonly untilMs: number
  readonly users: readonly RunningOutRow[]
  /** Users with charges who were not compared, because there are more than RUN_OUT_USERS_MAX. */
  readonly notCompared: number
}

const DAY_MS = 86_400_000

/** `within`: days ahead, as text of a whole number that the schema allows. */
export async function listRunningOut(
  ports: SumReadNeeds & { readonly profiles: Pick<Ports['profiles'], 'readAll'> },
  within: string | undefined,
): Promise<Result<RunningOut>> {
  const nowMs = ports.clock.nowMs()
  const untilMs = nowMs - (nowMs % DAY_MS)
  const sinceMs = untilMs - RUN_OUT_MEAN_DAYS * DAY_MS
  const sums = await addUpUsers(ports, { from: toHour(sinceMs), to: toHour(untilMs) - 1 })
  if (!sums.ok) return sums
  const charged = sums.value.filter((sum) => sum.charged > 0)
  const compared = pickLargest(charged)
  const profiles = await readProfiles(
    ports,
    compared.map(({ name }) => name),
  )
  const withinDays = within === undefined ? RUN_OUT_WITHIN_DAYS_DEFAULT : Number(within)
  const rows = compared.flatMap((sum) => {
    const profile = profiles.get(sum.name)
    const forecast = profile && forecastActive(profile, sum.charged, nowMs)
    if (profile === undefined || forecast === undefined) return []
    return forecast.daysLeft > withinDays ? [] : [toRow(profile, forecast, sum.charged, nowMs)]
  })
  const users = rows.sort((a, b) => a.daysLeft - b.daysLeft || (a.uid < b.uid ? -1 : 1))
  return ok({ sinceMs, untilMs, users, notCompared: charged.length - compared.length })
}

/** The users who were charged most, if there are more than one answer compares. */
function pickLargest(sums: readonly UsageSum[]): readonly UsageSum[] {
  if (sums.length <= RUN_OUT_USERS_MAX) return sums
  return [...sums].sort((a, b) => b.charged - a.charged).slice(0, RUN_OUT_USERS_MAX)
}

/** No call of a user who is not active is served, so nothing is used up. */
function forecastActive(profile: Profile, charged: MicroCredits, nowMs: number) {
  return readUserState(profile) === 'active' ? forecastRunOut(profile, charged, nowMs) : undefined
}

function toRow(
  profile: Profile,
  { daysLeft, reaches }: RunOut,
  charged: MicroCredits,
  nowMs: number,
): RunningOutRow {
  return {
    ...toBalanceRow(profile, nowMs),
    chargedPerDay: toCreditsNumber(Math.round(charged / RUN_OUT_MEAN_DAYS)),
    // Rounded down: nobody has less time than it says by more than a tenth of a day.
    daysLeft: Math.floor(daysLeft * 10) / 10,
    reaches,
  }
}
