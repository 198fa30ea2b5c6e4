/** The price of a credit as an operator writes it: `0.01 EUR`. Only usage and statements show it. */

export type CreditPrice = {
  /** Exact decimal text. */
  readonly amount: string
  /** ISO 4217. */
  readonly currency: string
}

/** Digits of an amount before the point, and after it. */
const WHOLE_DIGITS_MAX = 9
const DECIMALS_MAX = 9
const PRICE = new RegExp(
  `^(0|[1-9]\\d{0,${WHOLE_DIGITS_MAX - 1}})(\\.\\d{1,${DECIMALS_MAX}})? ?([A-Z]{3})$`,
)

/** Undefined if the text is not an amount above 0 and a currency of ISO 4217. */
export function parseCreditPrice(text: string): CreditPrice | undefined {
  const [, whole, fraction = '', currency = ''] = PRICE.exec(text) ?? []
  if (whole === undefined || !Intl.supportedValuesOf('currency').includes(currency)) {
    return undefined
  }
  const amount = `${whole}${fraction}`
  return Number(amount) > 0 ? { amount, currency } : undefined
}
