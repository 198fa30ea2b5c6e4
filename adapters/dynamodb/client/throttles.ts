/** Whether DynamoDB refused a request because of its rate, and so carried nothing out: by the names that both clients give. */
import { Fault } from '../../../core/errors.ts'

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

/** Of a request that failed after all its tries. */
export function isThrottled(fault: unknown): boolean {
  return fault instanceof Fault && fault.cause instanceof Error && isThrottleName(fault.cause.name)
}
