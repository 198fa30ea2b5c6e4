/**
 * Computes the cost of a month's calls after they ended, for all ways of calling: the usage
 * function takes them from the table's stream, in batches that fill for a minute, into pages and
 * sums, and into the archive, whose objects it merges day by day. Pure. Units and bytes as counted
 * for docs/decisions/0048, 0053 and 0134, with calls spread evenly over the month.
 */
import { DOOR_SIZES } from '../door-sizes.ts'
import type { MonthlyItem } from './idle.ts'

export type UsagePrices = {
  readonly usd: {
    readonly lambdaPerMillionRequests: number
    readonly lambdaArmPerGbSecond: number
    readonly writePerMillionUnits: number
    readonly getPerMillion: number
    readonly putPerMillion: number
    readonly storedPerGbMonth: number
  }
  readonly assumptions: { readonly usageBatchMs: number; readonly tableShards: number }
}

/**
 * Batches that time alone causes: 730 hours of 60 windows, in each shard of the table's stream.
 */
const BATCHES_WAITED_FOR = 43_800
const BATCH_RECORDS_MAX = 1_000
const HOURS_PER_MONTH = 730
/** Units of a page per call: a page has the gzipped rows of its batch, 22 units for a thousand. */
const PAGE_UNITS_PER_CALL = 0.022
/** An item of skills and a part of details, with the share of an hour in its day and month. */
const SUM_UNITS_PER_HOUR = 6
const USERS_PER_SUM = 100
/** Gzipped bytes in the archive: 0.6 MB for 10,000 lines, and some 300 bytes for a line alone. */
const ARCHIVED_BYTES = { line: 60, object: 240 }
const MONTHS_PER_YEAR = 12
const DAYS_PER_MONTH = 30.4
/** How long the bucket keeps what a merged object has replaced (lib/archive-bucket.ts). */
const REPLACED_MONTHS = 3
/** Lines of a merged object: OBJECT_LINES_MAX of core/archive. */
const MERGED_LINES = 10_000
const BYTES_PER_GB = 1e9

export type UsageLoad = {
  readonly calls: number
  readonly users: number
  /** Undefined if the archive keeps calls for ever; it is then priced after a year. */
  readonly archiveDays?: number | undefined
}

export function computeUsageMonth(
  { archiveDays, calls, users }: UsageLoad,
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
  const merged = Math.ceil(calls / MERGED_LINES)
  const replacedBytes = calls * ARCHIVED_BYTES.line + batches * ARCHIVED_BYTES.object
  const keptBytes = calls * ARCHIVED_BYTES.line + merged * ARCHIVED_BYTES.object
  const keptMonths = archiveDays === undefined ? MONTHS_PER_YEAR : archiveDays / DAYS_PER_MONTH
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
      item: 'archive: a GET for each object that is merged, a PUT for 10,000 lines',
      usd: (batches * usd.getPerMillion + merged * usd.putPerMillion) / 1e6,
    },
    {
      item: 'archive: storage, and of what was merged for 90 days',
      usd:
        ((keptMonths * keptBytes + REPLACED_MONTHS * replacedBytes) * usd.storedPerGbMonth) /
        BYTES_PER_GB,
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
