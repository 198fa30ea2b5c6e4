/**
 * What a call to a private host costs besides: one invocation of the function caller, which runs as
 * long as the host takes, while its invoker waits a hop longer. The caller's network interfaces are
 * free. Pure.
 */
import { type Costing, computeLambdaUsd } from './model.ts'

const CALLS = 1_000_000

/** Dollars for a million calls. The functions that wait have the memory of the caller. */
export function computePrivateHostsUsd({ memoryMb, mix, prices }: Costing): number {
  const ms = mix.upstreamMs + prices.assumptions.peerHopMs
  return (
    prices.usd.lambdaPerMillionRequests + CALLS * computeLambdaUsd(ms, memoryMb.execute, prices.usd)
  )
}

export function formatPrivateHosts(costing: Costing): string {
  const usd = computePrivateHostsUsd(costing).toFixed(2)
  return `A million calls to private hosts cost $${usd} more: the function caller runs once for each, as long as the host takes.`
}
