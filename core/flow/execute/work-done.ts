/**
 * What a caller is told when the answer to a request is lost that may have changed something: that
 * the service may have done the work. The call is refunded all the same.
 */
import type { HttpMethod } from '../../skills/skill.ts'
import type { SendFailure } from './send-once.ts'

export const MAY_HAVE_RUN =
  'The service may have done the work anyway: check that before you call again.'

/** RFC 9110 section 9.2.1: a request that only reads. */
export function isSafe(method: HttpMethod): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** The failure in the words for this method. */
export function tellWork(
  { mayHaveRun, ...failure }: SendFailure,
  method: HttpMethod,
): Omit<SendFailure, 'mayHaveRun'> {
  if (mayHaveRun !== true || isSafe(method)) return failure
  return { ...failure, detail: `${failure.detail} ${MAY_HAVE_RUN}` }
}
