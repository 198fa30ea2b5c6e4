/** Recognises a throttled request by its error's name, which is the same with both clients. */
import { Fault } from '../../../core/errors.ts'
import { isThrottleName } from '../../aws/signed/throttle-names.ts'

/** True if DynamoDB throttled the request in all of its tries, and so carried out nothing. */
export function isThrottled(fault: unknown): boolean {
  return fault instanceof Fault && fault.cause instanceof Error && isThrottleName(fault.cause.name)
}
