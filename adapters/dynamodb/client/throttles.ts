/** Whether DynamoDB refused a request because of its rate, and so carried nothing out: by the names that both clients give. */
import { Fault } from '../../../core/errors.ts'
import { isThrottleName } from '../../aws/signed/throttle-names.ts'

/** Of a request that failed after all its tries. */
export function isThrottled(fault: unknown): boolean {
  return fault instanceof Fault && fault.cause instanceof Error && isThrottleName(fault.cause.name)
}
