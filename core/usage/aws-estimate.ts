/**
 * What a month of calls costs on AWS, estimated from the number of calls by two prices. Both are
 * those of docs/cost.md for the usual mix, on demand, by list prices of us-east-1; a test computes
 * them again. Real bills differ with regions, long upstreams, open streams and free tiers.
 */

/** A million calls over POST /mcp, and their records for 14 days. */
export const AWS_USD_PER_MILLION_CALLS = 4.62
/** The stage itself and its metrics, whatever the number of calls. */
export const AWS_USD_PER_MONTH = 18.95
/** The day of the price list. */
export const AWS_PRICES_OF = '2026-11-21'

export type AwsEstimate = {
  /** For the calls, in dollars with two decimals. */
  readonly callsUsd: number
  /** The share of the month so far of what a stage costs without calls. */
  readonly stageUsd: number
  readonly sumUsd: number
  readonly pricesOf: string
}

/** `share`: how much of the month is over, from 0 to 1. */
export function estimateAws(calls: number, share: number): AwsEstimate {
  const callsUsd = toCents((calls / 1e6) * AWS_USD_PER_MILLION_CALLS)
  const stageUsd = toCents(share * AWS_USD_PER_MONTH)
  return { callsUsd, stageUsd, sumUsd: toCents(callsUsd + stageUsd), pricesOf: AWS_PRICES_OF }
}

function toCents(usd: number): number {
  return Math.round(usd * 100) / 100
}
