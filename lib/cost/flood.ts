/**
 * Computes the most that a day of requests without a valid key costs a stage. Lambda accepts ten
 * requests a second for each reserved execution of a function with a URL, and refuses the rest free
 * of charge. A well-formed key that is unknown costs most, because the gateway looks it up. Time
 * and log lines are those of a refused call, which needs more of both. Pure.
 */
import type { Door } from '../doors.ts'
import { REQUESTS_PER_SEC_OF_RESERVED } from '../reservations.ts'
import type { Stage } from '../stage.ts'
import { type Costing, computeRefusedCallUsd } from './model.ts'

export type FloodDay = {
  /** Executions that strangers can keep busy. */
  readonly executions: number
  readonly requestsPerSec: number
  readonly usd: number
}

/**
 * Read units of the look-up of an unknown key, in the three places where a key can be stored;
 * test/scripts/cost-units.test.ts counts them.
 */
export const UNKNOWN_KEY_READ_UNITS = 3
/** Doors whose function URLs accept requests from anybody. */
const PUBLIC_DOORS = ['sse', 'mcp', 'execute'] as const satisfies readonly Door[]
const SEC_PER_DAY = 86_400

export function computeFloodDay(
  { accountConcurrency, reservedConcurrency = {} }: Stage,
  costing: Costing,
): FloodDay {
  const counts = PUBLIC_DOORS.map((door) => reservedConcurrency[door])
  const reserved = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
  // A door without a reservation can use all executions of the account.
  const executions = counts.includes(undefined) ? accountConcurrency : reserved
  const requestsPerSec = executions * REQUESTS_PER_SEC_OF_RESERVED
  return {
    executions,
    requestsPerSec,
    usd:
      requestsPerSec *
      SEC_PER_DAY *
      computeRefusedCallUsd(costing, { writeUnits: 0, readUnits: UNKNOWN_KEY_READ_UNITS }),
  }
}

export function formatFlood(stage: Stage, costing: Costing): string {
  const { executions, requestsPerSec, usd } = computeFloodDay(stage, costing)
  const rate = requestsPerSec.toLocaleString('en')
  return `Requests without a valid key cost stage ${stage.name} at most $${usd.toFixed(0)} a day: ${rate} a second, which ${executions} executions take.`
}
