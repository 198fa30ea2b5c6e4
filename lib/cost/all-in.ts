/**
 * Computes the one figure to compare gateways by: everything that a million calls over `POST /mcp`
 * cost, beside the price of the gateway that AWS manages. Pure.
 */
import type { Bill } from './bill.ts'
import type { PriceFile } from './figures.ts'

const WAY = 'Streamable HTTP'
const MILLION = 1e6

/**
 * Returns the dollars for a million calls over Streamable HTTP, with their share of all that a
 * stage costs by the month.
 */
export function computeAllInUsd({ calls, monthly, ways }: Bill): number {
  const way = ways.find(({ name }) => name === WAY)
  if (way === undefined) throw new Error(`the bill has no ${WAY}`)
  const monthUsd = monthly.reduce((sum, { usd }) => sum + usd, 0)
  return way.usdPerMillion + monthUsd / (calls / MILLION)
}

/** Lines for the same mix by both ways of paying the table. */
export function formatAllIn(
  { onDemand, provisioned }: { readonly onDemand: Bill; readonly provisioned: Bill },
  { usd }: Pick<PriceFile, 'usd'>,
): readonly string[] {
  const calls = Math.round(onDemand.calls).toLocaleString('en')
  const [onDemandUsd, provisionedUsd] = [onDemand, provisioned].map((bill) =>
    computeAllInUsd(bill).toFixed(2),
  )
  const decidedUsd = usd.managedCallsPerMillion + usd.managedDecisionsPerMillion
  return [
    `A million calls over POST /mcp: $${onDemandUsd}, all in; $${provisionedUsd} with a provisioned table; of ${calls} a month.`,
    `Amazon Bedrock AgentCore Gateway: $${usd.managedCallsPerMillion.toFixed(2)}; $${decidedUsd.toFixed(2)} if its policy engine decides about each call.`,
  ]
}
