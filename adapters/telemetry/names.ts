/**
 * Names of the metrics that the doors emit (EMF lines on stdout) and that alarms and the dashboard
 * read. Plain data: lib/ reads it too, so it imports nothing. A metric is added here, emitted in
 * this room and shown in lib/dashboard-rows.ts; a test holds the three together.
 *
 * Each series is billed ($0.30 a month, by the hours in which it gets values), so dimensions are
 * closed vocabularies, never a user or a skill: 12 series with the stage alone, 4 outcomes, at most
 * 26 codes and 6 doors: 48 series and $14.40 a month for a stage that has seen every error there is.
 * No units: they are in the names, and would be a tenth of what a call's metrics weigh in the log.
 */

export const METRICS_NAMESPACE = 'Skillgate'

/** Every metric has the dimension `Stage`; those with more say so. */
export const METRICS = {
  /** Count; dimension `Outcome`: settled, refunded, free, refused. */
  calls: 'Calls',
  /**
   * Count; dimension `Code`: the error code of what was refused or failed: calls, streams, and
   * requests that no door could serve. Not the REST API's: it counts its own 4XX and 5XX.
   */
  refusals: 'Refusals',
  /** Milliseconds from sending to the last byte, or to the cut. */
  upstreamLatency: 'UpstreamLatencyMs',
  /**
   * Credits (decimal), as calls place, keep or give them back. Counted where a hold ends, so that
   * held = settled + refunded; a void gives back what was settled before.
   */
  creditsHeld: 'CreditsHeld',
  creditsSettled: 'CreditsSettled',
  creditsRefunded: 'CreditsRefunded',
  creditsVoided: 'CreditsVoided',
  /** Count of calls that ended for free: held, and their process died before it wrote an outcome. */
  freeByCrash: 'CallsFreeByCrash',
  /** Open streams in all, as each new one counts them. */
  openStreams: 'OpenStreams',
  /** Milliseconds from a POST's acceptance to its reply's event; up to 100 values in one line. */
  replyDelay: 'ReplyDelayMs',
  /** Count of environments that started; dimension `Door`. */
  coldStarts: 'ColdStarts',
  /** Minutes whose sweep entries the sweep has not finished. */
  sweepBacklog: 'SweepBacklogMinutes',
} as const

/** Of those with one more dimension: kept under the stage alone, and under both. */
export const METRIC_DIMENSIONS = {
  Calls: 'Outcome',
  Refusals: 'Code',
  ColdStarts: 'Door',
} as const
