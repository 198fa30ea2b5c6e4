/**
 * Warns the caller of a failed call that the service may have done the work: the request was sent,
 * it may have changed something, and its answer is lost. The call is refunded all the same.
 */
import type { HttpMethod } from '../../skills/skill.ts'
import type { SendFailure } from './send-once.ts'

export const MAY_HAVE_RUN =
  'The service may have done the work anyway: check that before you call again.'

/** True for methods that only read (RFC 9110, section 9.2.1). */
export function isSafeMethod(method: HttpMethod): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Adds the warning to a failure, unless the method only reads. */
export function warnWorkDone(
  { mayHaveRun, ...failure }: SendFailure,
  method: HttpMethod,
): Omit<SendFailure, 'mayHaveRun'> {
  if (mayHaveRun !== true || isSafeMethod(method)) return failure
  return { ...failure, detail: `${failure.detail} ${MAY_HAVE_RUN}` }
}
