/** Names of errors by which AWS services throttle a request, which is then not carried out. */

/** The names in the SDK's standard retry mode. */
const THROTTLE_NAMES: ReadonlySet<string> = new Set([
  'BandwidthLimitExceeded',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
])

/** `name`: the name of an exception. */
export function isThrottleName(name: string): boolean {
  return THROTTLE_NAMES.has(name)
}
