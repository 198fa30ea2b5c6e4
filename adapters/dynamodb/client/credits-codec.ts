/**
 * Amounts of money between the code (whole micro-credits) and the store (exact decimals of credits,
 * `99.5`). Both conversions use text, because a float would lose digits.
 */
import { NumberValueImpl as NumberValue } from '@aws-sdk/util-dynamodb'
import { Fault } from '../../../core/errors.ts'
import { toUnits } from '../../../core/json/decimal.ts'
import { formatCredits } from '../../../core/ledger/amount.ts'
import type { MicroCredits } from '../../../core/ledger/ledger.ts'

const SCALE = { decimals: 6, unitsMax: Number.MAX_SAFE_INTEGER }

/** The amount as stored. Throws `Fault('internal')` if it is negative or not a safe integer. */
export function toStoredCredits(amount: MicroCredits): NumberValue {
  if (!Number.isSafeInteger(amount) || amount < 0) {
    throw new Fault('internal', `amount: ${amount} is not a whole number of micro-credits`)
  }
  return NumberValue.from(formatCredits(amount))
}

/** As `toStoredCredits`, for a balance or a change of one, which may be negative. */
export function toStoredBalance(balance: MicroCredits): NumberValue {
  if (balance >= 0) return toStoredCredits(balance)
  return NumberValue.from(`-${toStoredCredits(-balance).value}`)
}

/** Returns undefined if the amount is negative, finer than a micro-credit or past 2^53. */
export function parseMicroCredits(text: string): MicroCredits | undefined {
  const read = toUnits(text, SCALE)
  return read.kind === 'units' ? read.units : undefined
}

/** As `parseMicroCredits`, but accepts a minus sign. */
export function parseBalance(text: string): MicroCredits | undefined {
  if (!text.startsWith('-')) return parseMicroCredits(text)
  const size = parseMicroCredits(text.slice(1))
  return size === undefined || size === 0 ? size : -size
}
