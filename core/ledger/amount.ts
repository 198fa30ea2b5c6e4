/**
 * Amounts of credits: decimals on every wire, whole micro-credits in code, exact in both
 * directions. Refuses amounts that are negative, not finite, finer than a micro-credit or over the
 * limit, because money is never rounded.
 */
import { err, ok, type Result } from '../errors.ts'
import { fromUnits, toUnits } from '../json/decimal.ts'
import type { MicroCredits } from './ledger.ts'

export const MICRO_PER_CREDIT = 1_000_000
const MICRO_DECIMALS = 6

/** 100,000,000 credits, in micro-credits: 1.1 % of 2^53, so sums of amounts stay exact. */
export const CREDITS_MAX: MicroCredits = 100_000_000 * MICRO_PER_CREDIT

/** `value` is in credits. An error is a clause that reads after the name of the field. */
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
      return err('is not a decimal number; send one such as 12.5')
    default:
      return read satisfies never
  }
}

/** Exact decimal text without trailing zeros: 99500000 → '99.5'. */
export function formatCredits(micro: MicroCredits): string {
  return fromUnits(micro, MICRO_DECIMALS)
}

/** The double nearest to the exact decimal; JSON writes it with {@link formatCredits}'s digits. */
export function creditsNumber(micro: MicroCredits): number {
  return micro / MICRO_PER_CREDIT
}
