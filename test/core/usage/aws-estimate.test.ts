/** The prices of the estimate are those that lib/cost computes for the usual mix. */
import { expect, test } from 'vitest'
import {
  AWS_PRICES_OF,
  AWS_USD_PER_MILLION_CALLS,
  AWS_USD_PER_MONTH,
  estimateAws,
} from '../../../core/usage/aws-estimate.ts'
import { computeBill } from '../../../lib/cost/bill.ts'
import { readMeasured, readPrices } from '../../../lib/cost/figures.ts'
import { DEFAULT_MIX } from '../../../lib/cost/mix.ts'

test('both prices are those of the usual mix, and the calls kept in the table are among the first', () => {
  const prices = readPrices()
  const { calls, monthly, ways } = computeBill(DEFAULT_MIX, prices, readMeasured())
  const way = ways.find(({ name }) => name === 'Streamable HTTP')?.usdPerMillion ?? 0
  const [stage, metrics, kept] = monthly.map(({ usd }) => usd)
  expect(AWS_USD_PER_MILLION_CALLS).toBeCloseTo(way + ((kept ?? 0) / calls) * 1e6, 2)
  expect(AWS_USD_PER_MONTH).toBeCloseTo((stage ?? 0) + (metrics ?? 0), 2)
  expect(AWS_PRICES_OF).toBe(prices.date)
})

test('half a month with two million calls is their price and half of the stage', () => {
  expect(estimateAws(2_000_000, 0.5)).toEqual({
    callsUsd: 9.24,
    stageUsd: 9.48,
    sumUsd: 18.72,
    pricesOf: AWS_PRICES_OF,
  })
})
