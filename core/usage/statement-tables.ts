/**
 * A statement as tables of plain texts, which text, CSV and HTML show in the same words and order.
 * Amounts have up to six decimals, as they are.
 */
import type { Balances, Statement } from './statement.ts'

export type StatementTable = {
  readonly title: string
  readonly columns: readonly { readonly head: string; readonly isNumber?: boolean }[]
  readonly rows: readonly (readonly string[])[]
  /** The last row, which adds up the others; absent if nothing is added up. */
  readonly total?: readonly string[]
}

const BALANCE_LABELS: { readonly [name in keyof Balances]: string } = {
  opening: 'Opening balance',
  granted: 'Grants',
  corrected: 'Corrections',
  charged: 'Charges',
  closing: 'Closing balance',
}

/** The balances, then grants, corrections, charges and refunds, as far as there are any. */
export function toStatementTables(statement: Statement): readonly StatementTable[] {
  return [
    toBalances(statement),
    toGrants(statement, 'Grants', statement.grants),
    toGrants(statement, 'Corrections', statement.corrections),
    toCharges(statement),
    toRefunds(statement),
  ].filter(({ rows }) => rows.length > 0)
}

/** Whose statement it is, and of when. */
export function describeStatement(statement: Statement): readonly (readonly [string, string])[] {
  const { complete, creditPrice, month, now, state, uid, username } = statement
  const price = creditPrice && `${creditPrice.amount} ${creditPrice.currency} a credit`
  return [
    ['User', `${username} (${uid})${state === 'active' ? '' : `, ${state}`}`],
    ['Month', `${month}, UTC`],
    ...(complete ? [] : [['State', 'not complete: calls of the month may be missing'] as const]),
    ...(price === undefined ? [] : [['Price', price] as const]),
    ...(now === undefined
      ? []
      : [
          [
            'Now',
            `${formatNumber(now.credits)} credits, and ${formatNumber(now.onHold)} on hold for ${now.holds} running calls`,
          ] as const,
        ]),
  ]
}

/** Notes at the end. */
export function listStatementNotes({ creditPrice }: Statement): readonly string[] {
  return [
    'A call belongs to the month in which it started. A call that is refunded later leaves the charges of that month.',
    'Refunded calls were never charged, so refunds change no balance.',
    ...(creditPrice === undefined
      ? []
      : ['Each amount of money is computed from credits and rounded once, half to even.']),
  ]
}

type Columns = StatementTable['columns']

function toBalances({ creditPrice, money, ...statement }: Statement): StatementTable {
  const names = Object.keys(BALANCE_LABELS) as (keyof Balances)[]
  const cells = (name: keyof Balances) => [
    BALANCE_LABELS[name],
    formatNumber(name === 'charged' ? negate(statement.charged) : statement[name]),
    ...(money === undefined ? [] : [name === 'charged' ? negateText(money.charged) : money[name]]),
  ]
  return {
    title: 'Account',
    columns: [{ head: '' }, ...toAmountColumns(creditPrice)],
    rows: names.filter((name) => name !== 'closing').map(cells),
    total: cells('closing'),
  }
}

function negate(amount: number): number {
  return amount === 0 ? 0 : -amount
}

function negateText(amount: string): string {
  return /^0(?:\.0+)?$/.test(amount) ? amount : `-${amount}`
}

function toAmountColumns(price: Statement['creditPrice']): Columns {
  const money = price === undefined ? [] : [{ head: price.currency, isNumber: true }]
  return [{ head: 'Credits', isNumber: true }, ...money]
}

function toGrants(
  { creditPrice }: Statement,
  title: string,
  grants: Statement['grants'],
): StatementTable {
  return {
    title,
    columns: [
      { head: 'Time' },
      { head: 'Id' },
      { head: 'By' },
      { head: 'Reason' },
      ...toAmountColumns(creditPrice),
    ],
    rows: grants.map(({ amount, by, createdAtMs, grantId, money, reason }) => [
      `${new Date(createdAtMs).toISOString().slice(0, 19).replace('T', ' ')}`,
      grantId,
      by ?? '',
      reason ?? '',
      formatNumber(amount),
      ...(money === undefined ? [] : [money]),
    ]),
  }
}

function toCharges({ calls, charged, charges, creditPrice, money }: Statement): StatementTable {
  return {
    title: 'Charges by skill',
    columns: [
      { head: 'Skill' },
      { head: 'Source' },
      { head: 'Calls', isNumber: true },
      ...toAmountColumns(creditPrice),
    ],
    rows: charges.map((charge) => [
      charge.skillId,
      charge.source,
      String(charge.calls),
      formatNumber(charge.charged),
      ...(charge.money === undefined ? [] : [charge.money]),
    ]),
    total: [
      'Total',
      '',
      String(calls),
      formatNumber(charged),
      ...(money === undefined ? [] : [money.charged]),
    ],
  }
}

function toRefunds({ givenBack, refunded, refunds }: Statement): StatementTable {
  return {
    title: 'Refunds by reason',
    columns: [
      { head: 'Reason' },
      { head: 'Calls', isNumber: true },
      { head: 'Credits', isNumber: true },
    ],
    rows: refunds.map(({ calls, givenBack: credits, reason }) => [
      reason,
      String(calls),
      formatNumber(credits),
    ]),
    total: ['Total', String(refunded), formatNumber(givenBack)],
  }
}

/** Decimal text without an exponent. */
export function formatNumber(credits: number): string {
  return credits
    .toFixed(6)
    .replace(/\.?0+$/, '')
    .replace(/^-0$/, '0')
}
