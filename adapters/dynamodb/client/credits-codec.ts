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
export function storedCredits(amount: MicroCredits): NumberValue {
  if (!Number.isSafeInteger(amount) || amount < 0) {
    throw new Fault('internal', `amount: ${amount} is not a whole number of micro-credits`)
  }
  return NumberValue.from(formatCredits(amount))
}

/** As `storedCredits`, for a balance or a change of one, which may be negative. */
export function storedBalance(balance: MicroCredits): NumberValue {
  if (balance >= 0) return storedCredits(balance)
  return NumberValue.from(`-${storedCredits(-balance).value}`)
}

/** Returns undefined if the amount is negative, finer than a micro-credit or past 2^53. */
export function microCreditsFrom(text: string): MicroCredits | undefined {
  const read = toUnits(text, SCALE)
  return read.kind === 'units' ? read.units : undefined
}

/** As `microCreditsFrom`, but accepts a minus sign. */
export function balanceFrom(text: string): MicroCredits | undefined {
  if (!text.startsWith('-')) return microCreditsFrom(text)
  const size = microCreditsFrom(text.slice(1))
  return size === undefined || size === 0 ? size : -size
}
