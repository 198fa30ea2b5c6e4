/**
 * A planner makes the plans of one request: each plan compares the request with the skills that are
 * stored then. The request is read and validated once. The gateway makes plans in a thread
 * (lambdas/admin/plans/plan-thread.ts), since a document of a few MB takes seconds.
 */
import type { Result } from '../../errors.ts'

export type Planner<P> = {
  /** Refuses a request that cannot be planned. Writes nothing. */
  plan(): Promise<Result<P>>
}
