/**
 * How a stage divides the concurrency of its account among its functions. Reservations keep a door from starving the
 * others, and bound what a flood costs: Lambda takes at most ten requests a second for each reserved execution
 * (https://docs.aws.amazon.com/lambda/latest/dg/urls-configuration.html).
 */
import type { Door } from './doors.ts'

export type Reservations = { readonly [D in Door]?: number }

/** Lambda refuses a reservation that leaves less than this to all other functions of the account. */
export const UNRESERVED_MIN = 100
/** Requests a second that a function with a URL takes for each execution that it has reserved. */
export const REQUESTS_PER_SEC_OF_RESERVED = 10

/** Administrators send few requests at once; API Gateway has a throttle of its own before them. */
const ADMIN = 20
/** Of what is left beside streams and administrators. Listen streams and running calls share mcp. */
const MCP_SHARE = 0.5
const EXECUTE_SHARE = 0.25

/**
 * What to reserve in an account with that quota, the rest being for sweep, usage and other programs. sse and
 * messages get `sseConcurrency`, which their rules demand. Undefined where it does not fit: a fresh account takes none.
 */
export function reservationsFor(
  accountConcurrency: number,
  sseConcurrency: number,
): Reservations | undefined {
  const left = accountConcurrency - UNRESERVED_MIN - 2 * sseConcurrency - ADMIN
  const mcp = Math.floor(left * MCP_SHARE)
  if (mcp < sseConcurrency) return undefined
  const execute = Math.floor(left * EXECUTE_SHARE)
  return { sse: sseConcurrency, messages: sseConcurrency, mcp, execute, admin: ADMIN }
}

export function reservedInAll(reservations: Reservations | undefined): number {
  return Object.values(reservations ?? {}).reduce((sum, count) => sum + count, 0)
}
