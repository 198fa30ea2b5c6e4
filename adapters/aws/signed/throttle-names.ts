/** Errors by which services of AWS refuse a request because of its rate, and so carried nothing out. */

/** Of the SDK's standard retry mode. */
const THROTTLES: ReadonlySet<string> = new Set([
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

/** `name`: of an exception. */
export function isThrottleName(name: string): boolean {
  return THROTTLES.has(name)
}
