/**
 * GET users/{uid}/statements/{month}: the account of a user in a month. Charges come from the sums
 * of usage, grants from the ledger. Bound by docs/usage-and-statements.md.
 */
import { refuseUnknownUser } from '../../access/user-names.ts'
import { readUserState } from '../../access/user-state.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import type { Grant, MicroCredits, Profile } from '../../ledger/ledger.ts'
import { GRANTS_PAGE_MAX } from '../../ledger/limits.ts'
import { type Month, toMonth } from '../../ledger/month.ts'
import type { Ports } from '../../ports/ports.ts'
import type { CreditPrice } from '../../settings/credit-price.ts'
import { STATEMENT_GRANTS_MAX } from '../../usage/limits.ts'
import { parseMonthStart, toPeriodIndex, toPeriodStartMs } from '../../usage/periods.ts'
import { toHour } from '../../usage/slots.ts'
import type { Statement, StatementFacts } from '../../usage/statement.ts'
import type { UsageDetail } from '../../usage/usage-detail.ts'
import { readDetailSums, type SumReadNeeds } from '../usage/read-sums.ts'
import { computeStatement } from './compute-statement.ts'

export type StatementNeeds = SumReadNeeds & {
  readonly ledger: Pick<Ports['ledger'], 'grants'>
  readonly profiles: Pick<Ports['profiles'], 'read'>
}

/** A month that has begun. */
export type MonthSpan = {
  readonly month: Month
  readonly sinceMs: number
  readonly untilMs: number
  /** The month of this moment. */
  readonly isCurrent: boolean
}

/** Refuses with `malformed` a text that is no month, and a month that has not begun. */
export function readMonth(month: string, nowMs: number): Result<MonthSpan> {
  const sinceMs = parseMonthStart(month)
  if (Number.isNaN(sinceMs)) return refuseMonth('must be a month such as 2026-11')
  if (sinceMs > nowMs) return refuseMonth(`has not begun; the current month is ${toMonth(nowMs)}`)
  const untilMs = toPeriodStartMs('month', toPeriodIndex('month', sinceMs) + 1)
  return ok({ month, sinceMs, untilMs, isCurrent: untilMs > nowMs })
}

function refuseMonth(message: string): Result<never> {
  return refuse('malformed', `month: ${message}.`)
}

/**
 * Refuses with `not_found` an unknown user, and with `malformed` a month that has not begun or is
 * over before the user exists.
 */
export async function showStatement(
  ports: StatementNeeds,
  { month, uid }: { readonly month: string; readonly uid: string },
  price?: CreditPrice | undefined,
): Promise<Result<Statement>> {
  const span = readMonth(month, ports.clock.nowMs())
  if (!span.ok) return span
  const profile = await ports.profiles.read(uid)
  if (profile === undefined) return refuseUnknownUser(uid)
  if (profile.v0 === 'unmoved') return refuseUnmoved(uid)
  if (profile.createdAtMs >= span.value.untilMs) {
    return refuseMonth(
      `is over before ${uid} existed; the first statement is that of ${toMonth(profile.createdAtMs)}`,
    )
  }
  const facts = await readFacts(ports, profile, span.value, price)
  if (!facts.ok) return facts
  return ok(computeStatement(facts.value, span.value.isCurrent ? readNow(profile) : undefined))
}

function refuseUnmoved(uid: string): Result<never> {
  return refuse(
    'malformed',
    `uid: the credits of ${uid} are still records of the earlier service. Move them with POST /v1/admin/migrate, which names what it could not move.`,
  )
}

/** Everything that the statement of a user is computed from. */
export async function readFacts(
  ports: StatementNeeds,
  profile: Profile,
  { month, sinceMs, untilMs }: MonthSpan,
  price: CreditPrice | undefined,
): Promise<Result<StatementFacts>> {
  const { uid, username } = profile
  const firstMs = toPeriodStartMs('month', toPeriodIndex('month', profile.createdAtMs))
  const [grants, before, own] = await Promise.all([
    readGrants(ports, uid),
    sumCharges(ports, { uid, sinceMs: firstMs, untilMs: sinceMs }),
    readOwnDetails(ports, { uid, sinceMs, untilMs }),
  ])
  if (grants === undefined) return refuseTooMuch(`has more than ${STATEMENT_GRANTS_MAX} grants`)
  if (before === undefined || own === undefined) return refuseTooMuch('has too many sums of calls')
  const complete = (own.rolledHour ?? -1) >= toHour(untilMs) - 1
  return ok({
    head: {
      uid,
      username,
      state: readUserState(profile),
      month,
      sinceMs,
      untilMs,
      complete,
      ...(price === undefined ? {} : { creditPrice: price }),
    },
    grants,
    chargedBefore: before,
    details: own.details,
  })
}

function refuseTooMuch(what: string): Result<never> {
  return refuse('malformed', `uid: this user ${what} for a statement; read GET usage by month.`)
}

/** All grants of a user; undefined if there are too many. They are sorted by id, not by time. */
async function readGrants(
  { ledger }: StatementNeeds,
  uid: string,
): Promise<readonly Grant[] | undefined> {
  const all: Grant[] = []
  let after: string | undefined
  do {
    const page = { uid, limit: GRANTS_PAGE_MAX, ...(after === undefined ? {} : { after }) }
    const { grants, next } = await ledger.grants(page)
    all.push(...grants)
    if (all.length > STATEMENT_GRANTS_MAX) return undefined
    after = next
  } while (after !== undefined)
  return all
}

type OwnSpan = { readonly uid: string; readonly sinceMs: number; readonly untilMs: number }

async function sumCharges(ports: StatementNeeds, span: OwnSpan): Promise<MicroCredits | undefined> {
  if (span.sinceMs >= span.untilMs) return 0
  const own = await readOwnDetails(ports, span)
  return own?.details.reduce((sum, { charged }) => sum + charged, 0)
}

async function readOwnDetails(
  ports: StatementNeeds,
  { sinceMs, uid, untilMs }: OwnSpan,
): Promise<{ details: readonly UsageDetail[]; rolledHour: number | undefined } | undefined> {
  const details: UsageDetail[] = []
  const span = { from: toHour(sinceMs), to: toHour(untilMs) - 1, coarsest: 'month', uid } as const
  const read = await readDetailSums(ports, span, (some) => {
    details.push(...some)
    return true
  })
  return read.kind === 'stopped' ? undefined : { details, rolledHour: read.rolledHour }
}

function readNow({ credits, holds }: Profile): NonNullable<Statement['now']> {
  const amounts = Object.values(holds).map(({ amount }) => amount)
  const onHold = amounts.reduce((sum, amount) => sum + amount, 0)
  return {
    credits: toCreditsNumber(credits),
    onHold: toCreditsNumber(onHold),
    holds: amounts.length,
  }
}
