/**
 * Amounts of money. An amount is computed exactly from whole micro-credits and rounded once, half to
 * even, to the currency's own decimals.
 */
import type { MicroCredits } from '../ledger/ledger.ts'
import type { CreditPrice } from '../settings/credit-price.ts'

const MICRO_DECIMALS = 6

/** Decimal text with the decimals of the currency: `12.30`, `-0.05`, `7` for yen. */
export function toMoney(credits: MicroCredits, { amount, currency }: CreditPrice): string {
  const decimals = readDecimals(currency)
  const [whole = '', fraction = ''] = amount.split('.')
  const units = BigInt(credits) * BigInt(`${whole}${fraction}`)
  const scale = MICRO_DECIMALS + fraction.length
  return formatUnits(roundHalfEven(units, scale - decimals), decimals)
}

function readDecimals(currency: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  return format.resolvedOptions().maximumFractionDigits ?? 2
}

/** Drops `digits` decimal digits; adds zeros if `digits` is negative. */
function roundHalfEven(units: bigint, digits: number): bigint {
  if (digits <= 0) return units * 10n ** BigInt(-digits)
  const divisor = 10n ** BigInt(digits)
  const size = units < 0n ? -units : units
  const [quotient, rest] = [size / divisor, size % divisor]
  const isUp = 2n * rest > divisor || (2n * rest === divisor && quotient % 2n === 1n)
  const rounded = isUp ? quotient + 1n : quotient
  return units < 0n ? -rounded : rounded
}

function formatUnits(units: bigint, decimals: number): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const text = decimals === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`
  return units < 0n ? `-${text}` : text
}
