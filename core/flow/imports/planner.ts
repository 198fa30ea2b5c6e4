/**
 * Makes the plan of one request, each time of what is stored by then. What was sent is read and judged once. The gateway
 * makes plans in a thread (lambdas/admin/plans/plan-thread.ts), since a document of a few MB takes seconds.
 */
import type { Result } from '../../errors.ts'

export type Planner<P> = {
  /** Refuses what cannot be planned. Writes nothing. */
  plan(): Promise<Result<P>>
}
