/**
 * Money on its way into and out of the store: whole micro-credits in the code, exact decimals of
 * credits in the store (`99.5`). Text both ways, because a float would lose digits.
 */
import { NumberValueImpl as NumberValue } from '@aws-sdk/util-dynamodb'
import { Fault } from '../../../core/errors.ts'
import { toUnits } from '../../../core/json/decimal.ts'
import { formatCredits } from '../../../core/ledger/amount.ts'
import type { MicroCredits } from '../../../core/ledger/ledger.ts'

const SCALE = { decimals: 6, unitsMax: Number.MAX_SAFE_INTEGER }

/**
 * An amount in the form of the store. Throws `Fault('internal')` for a number that is no amount.
 */
export function storedCredits(amount: MicroCredits): NumberValue {
  if (!Number.isSafeInteger(amount) || amount < 0) {
    throw new Fault('internal', `amount: ${amount} is not a whole number of micro-credits`)
  }
  return NumberValue.from(formatCredits(amount))
}

/** A balance or a change of it, which may be below zero, in the form of the store. */
export function storedBalance(balance: MicroCredits): NumberValue {
  if (balance >= 0) return storedCredits(balance)
  return NumberValue.from(`-${storedCredits(-balance).value}`)
}

/** Undefined for an amount that is negative, finer than a micro-credit, or not an exact integer. */
export function microCreditsFrom(text: string): MicroCredits | undefined {
  const read = toUnits(text, SCALE)
  return read.kind === 'units' ? read.units : undefined
}

/** As `microCreditsFrom`, and with a sign. */
export function balanceFrom(text: string): MicroCredits | undefined {
  if (!text.startsWith('-')) return microCreditsFrom(text)
  const size = microCreditsFrom(text.slice(1))
  return size === undefined || size === 0 ? size : -size
}
