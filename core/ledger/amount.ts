/**
 * Amounts of credits: decimals on every wire, whole micro-credits in code, exact in both
 * directions. Refuses amounts that are not finite, finer than a micro-credit or over the limit,
 * because money is never rounded. Only a change of credits may be negative: a correction.
 */
import { err, ok, type Result } from '../errors.ts'
import { fromUnits, toUnits } from '../json/decimal.ts'
import type { MicroCredits } from './ledger.ts'

export const MICRO_PER_CREDIT = 1_000_000
const MICRO_DECIMALS = 6

/** 100,000,000 credits, in micro-credits: 1.1 % of 2^53, so sums of amounts stay exact. */
export const CREDITS_MAX: MicroCredits = 100_000_000 * MICRO_PER_CREDIT

/** The lowest balance that a correction with `allowNegative` may leave. */
export const CREDITS_MIN: MicroCredits = -CREDITS_MAX

const NOT_A_NUMBER = 'is not a decimal number; send one such as 12.5'

/** `value` is in credits. An error is a clause that follows the name of the field. */
export function parseCredits(value: number | string): Result<MicroCredits, string> {
  const read = toUnits(value, { decimals: MICRO_DECIMALS, unitsMax: CREDITS_MAX })
  switch (read.kind) {
    case 'units':
      return ok(read.units)
    case 'negative':
      return err('is negative; send 0 or more credits')
    case 'too_fine':
      return err('has more than 6 decimals; round it to 0.000001')
    case 'too_large':
      return err(`is over the limit of ${formatCredits(CREDITS_MAX)}`)
    case 'not_a_number':
      return err(NOT_A_NUMBER)
    default:
      return read satisfies never
  }
}

/** An amount to add, or to subtract if it begins with `-`; as exact as {@link parseCredits}. */
export function parseCreditChange(value: number | string): Result<MicroCredits, string> {
  const text = String(value)
  if (!text.startsWith('-')) return parseCredits(value)
  if (text.startsWith('--')) return err(NOT_A_NUMBER)
  const size = parseCredits(text.slice(1))
  return size.ok && size.value > 0 ? ok(-size.value) : size
}

/** Exact decimal text without trailing zeros: 99500000 → '99.5'. */
export function formatCredits(micro: MicroCredits): string {
  return fromUnits(micro, MICRO_DECIMALS)
}

/**
 * The double nearest to the exact decimal. JSON writes the same digits as {@link formatCredits}.
 */
export function toCreditsNumber(micro: MicroCredits): number {
  return micro / MICRO_PER_CREDIT
}

/** Converts credits with at most six decimals, such as those of a setting. */
export function toMicroCredits(credits: number): MicroCredits {
  return Math.round(credits * MICRO_PER_CREDIT)
}
