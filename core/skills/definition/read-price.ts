/** Reads the price of a skill: credits per call, stored as whole micro-credits. */
import { toUnits } from '../../json/decimal.ts'
import { PRICE_CREDITS_MAX, PRICE_DECIMALS } from '../limits.ts'

export const PRICE_RULE = `a number from 0 to ${PRICE_CREDITS_MAX} with at most ${PRICE_DECIMALS} decimals`

/** Returns micro-credits; undefined for a value that is not a price. */
export function readPriceUnits(value: unknown): number | undefined {
  const scale = { decimals: PRICE_DECIMALS, unitsMax: PRICE_CREDITS_MAX * 10 ** PRICE_DECIMALS }
  const price = typeof value === 'number' ? toUnits(value, scale) : undefined
  return price?.kind === 'units' ? price.units : undefined
}
