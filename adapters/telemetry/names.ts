/**
 * Names of the metrics that the doors emit (EMF lines on stdout) and that alarms and the dashboard
 * read. lib/ also imports this file, so it imports nothing. A new metric is added here, emitted in
 * this folder and shown in lib/dashboard-rows.ts; a test compares the three.
 *
 * Each series is billed ($0.30 a month, by the hours in which it gets values). So dimensions are
 * closed sets, never a user or a skill: 18 series with only the stage, 4 outcomes, at most 34
 * codes, 7 doors that start, 3 that make calls, and 5 faults of secrets. That is 71 series and
 * $21.30 a month for a stage that has seen every error. There are no units: the names contain them,
 * and they would be a tenth of the bytes of a call's metrics in the log.
 */

export const METRICS_NAMESPACE = 'Skillgate'

/** Every metric has the dimension `Stage`; a further dimension is named with its metric. */
export const METRICS = {
  /** Count; dimension `Outcome`: settled, refunded, free, refused. */
  calls: 'Calls',
  /**
   * Count; dimension `Code`: the error code of each refusal or failure of calls, streams, and
   * requests that no door could serve. The REST API counts its own 4XX and 5XX.
   */
  refusals: 'Refusals',
  /** Milliseconds from sending to the last byte, or to the cut. */
  upstreamLatency: 'UpstreamLatencyMs',
  /**
   * Milliseconds of a call that asked an upstream, without those of the upstream; dimension `Door`,
   * the function that made the call. Lambda's own latency of a URL also counts listen streams,
   * tasks and slow upstreams, so it shows nothing of the gateway.
   */
  gatewayLatency: 'GatewayLatencyMs',
  /**
   * Credits (decimal) that calls hold, settle or refund. They are counted when a hold ends, so that
   * held = settled + refunded; a void refunds what was settled before.
   */
  creditsHeld: 'CreditsHeld',
  creditsSettled: 'CreditsSettled',
  creditsRefunded: 'CreditsRefunded',
  creditsVoided: 'CreditsVoided',
  /** Credits of the charges that the usage function took into pages, sums and archive. */
  creditsSummed: 'CreditsSummed',
  /** Count of calls that were free because their process died between hold and outcome. */
  freeByCrash: 'CallsFreeByCrash',
  /** Number of open streams, which each new stream reports. */
  openStreams: 'OpenStreams',
  /**
   * Count of streams that read their partition because the table's stream has no free reader slot.
   */
  streamsMoved: 'StreamsMoved',
  /**
   * Milliseconds from the acceptance of a POST to its reply's event; up to 100 values in one line.
   */
  replyDelay: 'ReplyDelayMs',
  /** Count of processes that started; dimension `Door`. */
  coldStarts: 'ColdStarts',
  /** Count of requests to the admin API without a valid credential, from any address. */
  adminAuthFailures: 'AdminAuthFailures',
  /**
   * Count of calls that failed because a secret could not be read; dimension `Why`: denied, foreign,
   * unavailable, store, code.
   */
  secretsUnreadable: 'SecretsUnreadable',
  /** Minutes whose sweep entries the sweep has not finished. */
  sweepBacklog: 'SweepBacklogMinutes',
  /** Count of tools of MCP servers that a listing found changed, flagged, new or gone; 1 for a server that became stale. */
  upstreamToolsChanged: 'UpstreamToolsChanged',
} as const

/** The further dimension of a metric, which is then stored with the stage alone and with both. */
export const METRIC_DIMENSIONS = {
  Calls: 'Outcome',
  Refusals: 'Code',
  ColdStarts: 'Door',
  GatewayLatencyMs: 'Door',
  SecretsUnreadable: 'Why',
} as const
