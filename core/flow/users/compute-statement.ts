/** Computes the account of a month from the grants and the sums of calls. */
import { toCreditsNumber } from '../../ledger/amount.ts'
import type { Grant, MicroCredits } from '../../ledger/ledger.ts'
import type { CreditPrice } from '../../settings/credit-price.ts'
import { toMoney } from '../../usage/money.ts'
import type {
  Balances,
  Statement,
  StatementCharge,
  StatementFacts,
  StatementGrant,
  StatementHead,
  StatementTotals,
} from '../../usage/statement.ts'
import {
  addRefunds,
  listRefunds,
  type RefundCause,
  type RefundSum,
  type UsageDetail,
} from '../../usage/usage-detail.ts'

/** Computes the sums of a month. */
export function computeTotals({
  chargedBefore,
  details,
  grants,
  head,
}: StatementFacts): StatementTotals {
  const before = sumAmounts(grants.filter(({ createdAtMs }) => createdAtMs < head.sinceMs))
  const own = selectGrants(grants, head)
  const granted = sumAmounts(own.filter(({ amount }) => amount >= 0))
  const corrected = sumAmounts(own.filter(({ amount }) => amount < 0))
  const charged = details.reduce((sum, detail) => sum + detail.charged, 0)
  const opening = before - chargedBefore
  const balances = { opening, granted, corrected, charged }
  const closing = opening + granted + corrected - charged
  const refunds = sumRefunds(details)
  return {
    ...mapBalances({ ...balances, closing }, toCreditsNumber),
    calls: details.reduce((sum, { settled }) => sum + settled, 0),
    refunded: refunds.reduce((sum, { calls }) => sum + calls, 0),
    givenBack: toCreditsNumber(refunds.reduce((sum, { micro }) => sum + micro, 0)),
    ...inMoney(head.creditPrice, (price) => ({
      money: mapBalances({ ...balances, closing }, (micro) => toMoney(micro, price)),
    })),
  }
}

/** Computes the whole statement. */
export function computeStatement(
  facts: StatementFacts,
  now: Statement['now'] | undefined,
): Statement {
  const { details, grants, head } = facts
  const own = [...selectGrants(grants, head)].sort(compareGrants)
  const toLine = (grant: Grant) => toStatementGrant(grant, head.creditPrice)
  return {
    ...head,
    ...computeTotals(facts),
    grants: own.filter(({ amount }) => amount >= 0).map(toLine),
    corrections: own.filter(({ amount }) => amount < 0).map(toLine),
    charges: sumCharges(details, head.creditPrice),
    refunds: sumRefunds(details).map(({ calls, micro, reason }) => ({
      reason,
      calls,
      givenBack: toCreditsNumber(micro),
    })),
    ...(now === undefined ? {} : { now }),
  }
}

type Micros = { readonly [name in keyof Balances]: MicroCredits }

function mapBalances<T>(micros: Micros, write: (micro: MicroCredits) => T) {
  return {
    opening: write(micros.opening),
    granted: write(micros.granted),
    corrected: write(micros.corrected),
    charged: write(micros.charged),
    closing: write(micros.closing),
  }
}

function selectGrants(
  grants: readonly Grant[],
  { sinceMs, untilMs }: StatementHead,
): readonly Grant[] {
  return grants.filter(({ createdAtMs }) => createdAtMs >= sinceMs && createdAtMs < untilMs)
}

function sumAmounts(grants: readonly Grant[]): MicroCredits {
  return grants.reduce((sum, { amount }) => sum + amount, 0)
}

/** Oldest first. */
function compareGrants(a: Grant, b: Grant): number {
  return a.createdAtMs - b.createdAtMs || (a.grantId < b.grantId ? -1 : 1)
}

function toStatementGrant(
  { amount, by, createdAtMs, grantId, reason }: Grant,
  creditPrice: CreditPrice | undefined,
): StatementGrant {
  return {
    createdAtMs,
    grantId,
    amount: toCreditsNumber(amount),
    ...inMoney(creditPrice, (price) => ({ money: toMoney(amount, price) })),
    ...(by === undefined ? {} : { by }),
    ...(reason === undefined ? {} : { reason }),
  }
}

function sumCharges(
  details: readonly UsageDetail[],
  creditPrice: CreditPrice | undefined,
): readonly StatementCharge[] {
  const skills = Map.groupBy(
    details.filter(({ settled }) => settled > 0),
    ({ skillId, source }) => `${skillId} ${source}`,
  )
  return [...skills]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, some]) => {
      const [first] = some
      if (first === undefined) return []
      const charged = some.reduce((sum, detail) => sum + detail.charged, 0)
      const calls = some.reduce((sum, { settled }) => sum + settled, 0)
      const { skillId, source } = first
      const money = inMoney(creditPrice, (price) => ({ money: toMoney(charged, price) }))
      return [{ skillId, source, calls, charged: toCreditsNumber(charged), ...money }]
    })
}

function sumRefunds(details: readonly UsageDetail[]) {
  let all: UsageDetail['refunds'] = {}
  for (const { refunds } of details) all = addRefunds(all, refunds)
  return listRefunds(all)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([reason, [calls, micro]]: readonly [RefundCause, RefundSum]) => ({
      reason,
      calls,
      micro,
    }))
}

function inMoney<T extends object>(
  price: CreditPrice | undefined,
  write: (price: CreditPrice) => T,
): T | object {
  return price === undefined ? {} : write(price)
}
