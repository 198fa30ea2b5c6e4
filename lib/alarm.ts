/**
 * What an alarm is, as data: what is watched, from where on it is wrong, and why there. An alarm is
 * worth waking somebody; what only deserves a look is on the dashboard.
 */
import type { Formula, Series } from './watch-series.ts'

export type Alarm = {
  /** Of the section in docs/operations.md, and of the alarm behind the stage's prefix. */
  readonly name: string
  /** A sentence for the mail: what happens to whom. */
  readonly means: string
  readonly watched: Formula | Series
  readonly is: 'at-least' | 'below'
  readonly threshold: number | ShareOfConcurrency
  /** Why there and not elsewhere. */
  readonly why: string
  readonly periodSec: 60 | 300 | 900
  /** So many periods are looked at… */
  readonly periods: number
  /** …and so many of them must be wrong; all of them unless told. */
  readonly wrong?: number
  readonly missing: 'breaching' | 'notBreaching'
}

/** Of the concurrency that a function may count on which holds streams. */
export type ShareOfConcurrency = { readonly of: 'sse' | 'mcp'; readonly share: number }

/** What CloudWatch asks a month for each metric that a standard alarm looks at (us-east-1, 2026-11). */
export const ALARM_METRIC_USD_PER_MONTH = 0.1
/** More than this and nobody reads them. Each door that agents wait for takes two or three. */
export const ALARMS_MAX = 27
