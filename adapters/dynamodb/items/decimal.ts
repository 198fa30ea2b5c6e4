/** Compares, adds and subtracts exact decimals, as DynamoDB's numbers are, without floats. */

type Decimal = { readonly units: bigint; readonly places: number }

const NUMBER_FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/
/** A whole number in canonical form that a float holds exactly. */
const SMALL_WHOLE = /^(?:0|-?[1-9]\d{0,14})$/
/** DynamoDB's numbers are below 10 to the 126. */
const EXPONENT_MAX = 126

export function compareDecimals(a: string, b: string): number {
  if (SMALL_WHOLE.test(a) && SMALL_WHOLE.test(b)) return Number(a) - Number(b)
  const [x, y] = alignUnits(a, b)
  return x === y ? 0 : x < y ? -1 : 1
}

export function addDecimals(a: string, b: string): string {
  if (SMALL_WHOLE.test(a) && SMALL_WHOLE.test(b)) return String(Number(a) + Number(b))
  const [x, y, places] = alignUnits(a, b)
  return writeDecimal({ units: x + y, places })
}

export function subtractDecimals(a: string, b: string): string {
  if (SMALL_WHOLE.test(a) && SMALL_WHOLE.test(b)) return String(Number(a) - Number(b))
  const [x, y, places] = alignUnits(a, b)
  return writeDecimal({ units: x - y, places })
}

/**
 * The number as DynamoDB answers it: without an exponent and without zeros at its ends. Undefined
 * for a text that is no number, or for one that is larger or finer than DynamoDB's numbers.
 */
export function toCanonicalDecimal(text: string): string | undefined {
  if (SMALL_WHOLE.test(text)) return text
  const decimal = parseDecimal(text)
  return decimal === undefined ? undefined : writeDecimal(decimal)
}

/** Counts the digits of a canonical number without the zeros at either end. */
export function countDigits(canonical: string): number {
  return canonical.replace(/[-.]/g, '').replace(/^0+|0+$/g, '').length
}

function parseDecimal(text: string): Decimal | undefined {
  const match = NUMBER_FORM.exec(text)
  if (match === null || `${match[2]}${match[3] ?? ''}` === '') return undefined
  const [, sign = '', whole = '', part = '', exponent = '0'] = match
  if (Math.abs(Number(exponent)) > EXPONENT_MAX * 2) return undefined
  const places = part.length - Number(exponent)
  const units = BigInt(`${whole}${part}`) * (sign === '-' ? -1n : 1n)
  return places >= 0 ? { units, places } : { units: units * 10n ** BigInt(-places), places: 0 }
}

function alignUnits(a: string, b: string): readonly [bigint, bigint, number] {
  const [x, y] = [readDecimal(a), readDecimal(b)]
  const places = Math.max(x.places, y.places)
  const scale = (one: Decimal) => one.units * 10n ** BigInt(places - one.places)
  return [scale(x), scale(y), places]
}

function readDecimal(text: string): Decimal {
  const decimal = parseDecimal(text)
  if (decimal === undefined) throw new Error(`no number: ${text}`)
  return decimal
}

function writeDecimal({ units, places }: Decimal): string {
  const sign = units < 0n ? '-' : ''
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const part = digits.slice(digits.length - places).replace(/0+$/, '')
  return `${sign}${whole}${part === '' ? '' : `.${part}`}`
}
