/**
 * How long a batch of the usage function waits for more records, in seconds: pages and objects are
 * fewer and larger, and lists of all users' calls and sums are this much behind. A third of it costs
 * $0.07 more for a million calls. A restore waits for it too, without the CDK.
 */
export const USAGE_WINDOW_SEC = 60
