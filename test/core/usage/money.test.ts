/** Amounts of money are exact until they are rounded once, half to even; prices are of ISO 4217. */
import { describe, expect, test } from 'vitest'
import { parseCreditPrice } from '../../../core/settings/credit-price.ts'
import { toMoney } from '../../../core/usage/money.ts'

const CREDIT = 1_000_000

describe('an amount of money', () => {
  test.each([
    [1, '0.005', '0.00'],
    [1, '0.015', '0.02'],
    [1, '0.025', '0.02'],
    [-1, '0.015', '-0.02'],
    [3, '0.005', '0.02'],
    [0, '0.01', '0.00'],
  ])('%s credits at %s EUR are %s', (credits, amount, money) => {
    expect(toMoney(credits * CREDIT, { amount, currency: 'EUR' })).toBe(money)
  })

  test('has the decimals of its currency', () => {
    const of = (currency: string) => toMoney(2_500_000, { amount: '1', currency })
    expect([of('EUR'), of('JPY'), of('KWD')]).toEqual(['2.50', '2', '2.500'])
  })

  test('a sum is rounded once, so many small charges do not vanish', () => {
    const price = { amount: '0.004', currency: 'EUR' }
    expect([toMoney(CREDIT, price), toMoney(1_000 * CREDIT, price)]).toEqual(['0.00', '4.00'])
  })

  test('the largest balance at the largest price is exact', () => {
    const price = { amount: '999999999.999999999', currency: 'EUR' }
    expect(toMoney(Number.MAX_SAFE_INTEGER, price)).toBe('9007199254740990990.99')
  })
})

describe('a price of a credit', () => {
  test.each(['0.01 EUR', '0.01EUR', '12 JPY', '999999999 USD', '0.000000001 EUR'])(
    '%s is a price',
    (text) => {
      expect(parseCreditPrice(text)).toBeDefined()
    },
  )

  test.each([
    ['ten digits before the point', '1000000000 USD'],
    ['ten digits after the point', '0.0000000001 EUR'],
    ['nothing', '0 EUR'],
    ['nothing with decimals', '0.00 EUR'],
    ['less than nothing', '-1 EUR'],
    ['a currency that does not exist', '1 QQQ'],
    ['small letters', '1 eur'],
    ['no currency', '1'],
    ['a leading zero', '01 EUR'],
    ['an exponent', '1e3 EUR'],
  ])('%s is none: %s', (_what, text) => {
    expect(parseCreditPrice(text)).toBeUndefined()
  })
})
