/**
 * Names of the metrics that the doors emit (EMF lines on stdout) and that alarms and the dashboard
 * read. Plain data: lib/ reads it too, so it imports nothing. A new metric is added here, emitted
 * in this room and shown in lib/dashboard-rows.ts; a test compares the three.
 *
 * Each series is billed ($0.30 a month, by the hours in which it gets values), so dimensions are
 * closed vocabularies, never a user or a skill: 14 series with the stage alone, 4 outcomes, at most
 * 30 codes and 7 doors: 55 series and $16.50 a month for a stage that has seen every error.
 * No units: the names contain them, and they would be a tenth of the bytes of a call's metrics in
 * the log.
 */

export const METRICS_NAMESPACE = 'Skillgate'

/** Every metric has the dimension `Stage`; a further dimension is mentioned with its metric. */
export const METRICS = {
  /** Count; dimension `Outcome`: settled, refunded, free, refused. */
  calls: 'Calls',
  /**
   * Count; dimension `Code`: the error code of each refusal or failure: calls, streams, and
   * requests that no door could serve. Not the REST API's: it counts its own 4XX and 5XX.
   */
  refusals: 'Refusals',
  /** Milliseconds from sending to the last byte, or to the cut. */
  upstreamLatency: 'UpstreamLatencyMs',
  /**
   * Credits (decimal) as calls hold, settle or refund them. Counted when a hold ends, so that held
   * = settled + refunded; a void refunds what was settled before.
   */
  creditsHeld: 'CreditsHeld',
  creditsSettled: 'CreditsSettled',
  creditsRefunded: 'CreditsRefunded',
  creditsVoided: 'CreditsVoided',
  /** Count of calls that ended for free because their process died between hold and outcome. */
  freeByCrash: 'CallsFreeByCrash',
  /** Open streams in total, reported by each new one. */
  openStreams: 'OpenStreams',
  /** Count of streams that read their partition because the stream of the table has its readers. */
  streamsMoved: 'StreamsMoved',
  /** Milliseconds from a POST's acceptance to its reply's event; up to 100 values in one line. */
  replyDelay: 'ReplyDelayMs',
  /** Count of environments that started; dimension `Door`. */
  coldStarts: 'ColdStarts',
  /** Count of requests to the admin API without a valid credential, from whatever address. */
  adminAuthFailures: 'AdminAuthFailures',
  /** Minutes whose sweep entries the sweep has not finished. */
  sweepBacklog: 'SweepBacklogMinutes',
} as const

/**
 * The further dimension of each metric that has one: such a metric is kept under the stage alone,
 * and under both.
 */
export const METRIC_DIMENSIONS = {
  Calls: 'Outcome',
  Refusals: 'Code',
  ColdStarts: 'Door',
} as const
