/**
 * Divides the concurrency of an account among the functions of a stage. Reservations keep a door
 * from starving the others, and limit what a flood costs: Lambda accepts at most ten requests a
 * second for each reserved execution
 * (https://docs.aws.amazon.com/lambda/latest/dg/urls-configuration.html).
 */
import type { FunctionName } from './doors.ts'

export type Reservations = { readonly [F in FunctionName]?: number }

/**
 * Concurrency that must stay unreserved: Lambda refuses a reservation that leaves less to all other
 * functions of the account.
 */
export const UNRESERVED_MIN = 100
/** Requests a second that a function with a URL accepts for each execution that it has reserved. */
export const REQUESTS_PER_SEC_OF_RESERVED = 10

/**
 * Reservation of admin. Administrators send few requests at once; API Gateway has a throttle of its
 * own before them.
 */
const ADMIN_EXECUTIONS = 20
/**
 * Shares of what is left after streams and administrators. Listen streams and running calls share
 * mcp.
 */
const MCP_SHARE = 0.5
const EXECUTE_SHARE = 0.25

/**
 * Returns the reservations for an account with this quota; the rest is for sweep, usage and other
 * programs. sse and messages get `sseConcurrency`, as stage-rules.ts requires. Returns undefined if
 * they do not fit: a fresh account has no room for any.
 */
export function planReservations(
  accountConcurrency: number,
  sseConcurrency: number,
): Reservations | undefined {
  const left = accountConcurrency - UNRESERVED_MIN - 2 * sseConcurrency - ADMIN_EXECUTIONS
  const mcp = Math.floor(left * MCP_SHARE)
  if (mcp < sseConcurrency) return undefined
  const execute = Math.floor(left * EXECUTE_SHARE)
  return { sse: sseConcurrency, messages: sseConcurrency, mcp, execute, admin: ADMIN_EXECUTIONS }
}

/** Returns the sum of all reservations. */
export function sumReservations(reservations: Reservations | undefined): number {
  return Object.values(reservations ?? {}).reduce((sum, count) => sum + count, 0)
}
