/**
 * Computes the cost of a month's calls after they ended, for all ways of calling: the usage
 * function takes them from the table's stream, in batches that fill for 20 s, into pages and sums,
 * and into the archive. Pure. Units and bytes as counted for docs/decisions/0048 and
 * docs/decisions/0053, with calls spread evenly over the month.
 */
import { DOOR_SIZES } from '../door-sizes.ts'
import type { MonthlyItem } from './idle.ts'

export type UsagePrices = {
  readonly usd: {
    readonly lambdaPerMillionRequests: number
    readonly lambdaArmPerGbSecond: number
    readonly writePerMillionUnits: number
    readonly putPerMillion: number
    readonly storedPerGbMonth: number
  }
  readonly assumptions: { readonly usageBatchMs: number; readonly tableShards: number }
}

/**
 * Batches that time alone causes: 730 hours of 180 windows, in each shard of the table's stream.
 */
const BATCHES_WAITED_FOR = 131_400
const BATCH_RECORDS_MAX = 1_000
const HOURS_PER_MONTH = 730
/** Units of a page per call: a page has the gzipped rows of its batch, 22 units for a thousand. */
const PAGE_UNITS_PER_CALL = 0.022
const SUM_UNITS_PER_HOUR = 6
const USERS_PER_SUM = 100
/** Gzipped bytes in the archive: 0.6 MB for 10,000 lines, and some 300 bytes for a line alone. */
const ARCHIVED_BYTES = { line: 60, object: 240 }
const MONTHS_PER_YEAR = 12
const BYTES_PER_GB = 1e9

export function computeUsageMonth(
  { calls, users }: { readonly calls: number; readonly users: number },
  prices: UsagePrices,
): readonly MonthlyItem[] {
  const { assumptions, usd } = prices
  const batches = Math.max(
    Math.min(calls, BATCHES_WAITED_FOR * assumptions.tableShards),
    Math.ceil(calls / BATCH_RECORDS_MAX),
  )
  const gbSeconds = (batches * assumptions.usageBatchMs * DOOR_SIZES.usage.memoryMb) / 1024 / 1000
  const pageUnits = batches * Math.ceil((calls / batches) * PAGE_UNITS_PER_CALL)
  const hours = Math.min(calls, HOURS_PER_MONTH)
  const sumUnits = hours * SUM_UNITS_PER_HOUR * Math.ceil(users / USERS_PER_SUM)
  const bytes = calls * ARCHIVED_BYTES.line + batches * ARCHIVED_BYTES.object
  return [
    {
      item: `usage function: ${batches.toLocaleString('en')} batches`,
      usd: (batches * usd.lambdaPerMillionRequests) / 1e6 + gbSeconds * usd.lambdaArmPerGbSecond,
    },
    {
      item: 'its pages and sums of calls',
      usd: ((pageUnits + sumUnits) * usd.writePerMillionUnits) / 1e6,
    },
    { item: 'archive: PUTs, one a batch', usd: (batches * usd.putPerMillion) / 1e6 },
    {
      item: 'archive: storage, after a year of such months',
      usd: (MONTHS_PER_YEAR * bytes * usd.storedPerGbMonth) / BYTES_PER_GB,
    },
  ]
}

/**
 * Write units of a new user beside the user's own record: username, grant and the entries of the
 * directory.
 */
const USER_UNITS = 6

export function computeNewUsersUsd(users: number, { usd }: Pick<UsagePrices, 'usd'>): number {
  return (users * USER_UNITS * usd.writePerMillionUnits) / 1e6
}
