/** Exact decimals, as DynamoDB's numbers are: compared, added and subtracted without a float. */

type Decimal = { readonly units: bigint; readonly places: number }

const FORM = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/

export function compareDecimals(a: string, b: string): number {
  const [x, y] = aligned(a, b)
  return x === y ? 0 : x < y ? -1 : 1
}

export function addDecimals(a: string, b: string): string {
  const [x, y, places] = aligned(a, b)
  return textOf({ units: x + y, places })
}

export function subtractDecimals(a: string, b: string): string {
  const [x, y, places] = aligned(a, b)
  return textOf({ units: x - y, places })
}

/** The form that a stored number is answered in: no exponent, no zeros at its ends. */
export function canonicalDecimal(text: string): string {
  return textOf(read(text))
}

function read(text: string): Decimal {
  const match = FORM.exec(text)
  if (match === null || `${match[2]}${match[3] ?? ''}` === '') throw new Error(`no number: ${text}`)
  const [, sign = '', whole = '', part = '', exponent = '0'] = match
  const places = part.length - Number(exponent)
  const units = BigInt(`${sign}${whole}${part}`)
  return places >= 0 ? { units, places } : { units: units * 10n ** BigInt(-places), places: 0 }
}

function aligned(a: string, b: string): readonly [bigint, bigint, number] {
  const [x, y] = [read(a), read(b)]
  const places = Math.max(x.places, y.places)
  const raised = (one: Decimal) => one.units * 10n ** BigInt(places - one.places)
  return [raised(x), raised(y), places]
}

function textOf({ units, places }: Decimal): string {
  const sign = units < 0n ? '-' : ''
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const part = digits.slice(digits.length - places).replace(/0+$/, '')
  return `${sign}${whole}${part === '' ? '' : `.${part}`}`
}
