/**
 * An alarm as data: the watched series, its threshold, and the reason for the threshold. An alarm
 * must be worth waking somebody; other numbers are only on the dashboard.
 */
import type { Formula, Series } from './watch-series.ts'

export type Alarm = {
  /** The heading in docs/operations.md, and the alarm's name after the stage's prefix. */
  readonly name: string
  /** A sentence for the mail: what happens, and to whom. */
  readonly means: string
  readonly watched: Formula | Series
  readonly is: 'at-least' | 'below'
  readonly threshold: number | ConcurrencyShare
  /** The reason for this threshold. */
  readonly why: string
  readonly periodSec: 60 | 300 | 900 | 3_600
  /** Number of periods that are evaluated. */
  readonly periods: number
  /** How many of these periods must be over the threshold; all of them by default. */
  readonly wrong?: number
  readonly missing: 'breaching' | 'notBreaching'
  /** The only composite that has this alarm, which notifies for it. */
  readonly composite: CompositeName
}

export type CompositeName = 'AgentsHurt' | 'MoneyInDoubt' | 'Operations'

/** A composite alarm as data. It is on while any of its alarms is. */
export type Composite = {
  readonly name: CompositeName
  /** A sentence for the mail: what happens, and to whom. */
  readonly means: string
  readonly pages: boolean
}

/**
 * A share of the concurrency that a function with streams has, or of what the stage's reservations
 * leave of the account's. `unreserved` counts the reservations as in use, as the watched metric does.
 */
export type ConcurrencyShare = {
  readonly of: 'sse' | 'mcp' | 'unreserved'
  readonly share: number
}

/** CloudWatch's monthly price per metric of a standard alarm (us-east-1, 2026-11). */
export const ALARM_METRIC_USD_PER_MONTH = 0.1
/**
 * Most alarms of a stage; a longer list would not be read. A number that nobody would act on is on
 * the dashboard alone.
 */
export const ALARMS_MAX = 34
