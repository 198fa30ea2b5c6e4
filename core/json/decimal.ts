/**
 * Exact decimals: converts decimal text or a JSON number to a whole number of small units, and
 * back. Refuses a value that needs smaller units instead of rounding. All prices and credits use
 * these functions, so that no amount passes through floating-point arithmetic.
 */

export type Scale = {
  /** Digits after the point that one unit stands for: 6 for micro-credits. */
  readonly decimals: number
  /** Largest count of units; at most 2^53 - 1. */
  readonly unitsMax: number
}

export type Units =
  | { readonly kind: 'units'; readonly units: number }
  | { readonly kind: 'not_a_number' | 'negative' | 'too_fine' | 'too_large' }

/** Longest accepted text: the shortest text of any double has at most 24 characters. */
const DECIMAL_TEXT_CHARS_MAX = 64
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/
/** 2^53 has 16 digits: anything longer is over every `unitsMax`. */
const UNITS_DIGITS_MAX = 16

/**
 * Reads a number by its shortest text: 0.1 is exactly one tenth here, although the double is not.
 */
export function toUnits(value: number | string, scale: Scale): Units {
  const text = String(value)
  const parts = text.length > DECIMAL_TEXT_CHARS_MAX ? null : DECIMAL.exec(text)
  if (parts === null) return { kind: 'not_a_number' }
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  if (digits === '') return { kind: 'units', units: 0 }
  if (sign === '-') return { kind: 'negative' }
  return scaleDigits(digits, Number(exponent) - fraction.length + scale.decimals, scale.unitsMax)
}

/**
 * Writes the shortest exact text, without exponent and trailing zeros: `99.5`, `0.000001`, `-2`.
 */
export function fromUnits(units: number, decimals: number): string {
  const digits = String(Math.abs(units)).padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point).replace(/0+$/, '')
  const text = fraction === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`
  return units < 0 ? `-${text}` : text
}

/** Returns digits × 10^power if that is a whole number of at most `unitsMax`. */
function scaleDigits(digits: string, power: number, unitsMax: number): Units {
  const significant = digits.replace(/0+$/, '')
  const zeros = power + digits.length - significant.length
  if (zeros < 0) return { kind: 'too_fine' }
  if (significant.length + zeros > UNITS_DIGITS_MAX) return { kind: 'too_large' }
  const units = Number(significant + '0'.repeat(zeros))
  return units > unitsMax ? { kind: 'too_large' } : { kind: 'units', units }
}
