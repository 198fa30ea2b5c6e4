/**
 * The function caller: makes one HTTP exchange with a private host for each Invoke of execute or
 * mcp. It has no URL, no store, no key and no secret of its own. It refuses every host that
 * privateHosts does not list, and logs nothing of what it is sent. Bound by ADR 0121.
 */
import { answerCrossing } from '../../adapters/upstream/caller/answer-crossing.ts'
import { toCrossingAnswer } from '../../adapters/upstream/caller/crossing.ts'
import { redactStack } from '../../core/flow/execute/redacted-stack.ts'
import type { Clock, Log, Upstream } from '../../core/ports/outside.ts'

export type CallerPorts = {
  readonly clock: Pick<Clock, 'alarm' | 'nowMs'>
  readonly log: Pick<Log, 'note'>
  readonly upstream: Upstream
}

export type CallerContext = { getRemainingTimeInMillis(): number }

/** The time before Lambda ends the function, in which the outcome is written. */
const ANSWER_MS = 1_000

/** Never rejects: Lambda would write the error, which may quote the event, to the log. */
export function createCallerDoor(ports: CallerPorts) {
  const { log } = ports
  return async (event: unknown, context: CallerContext): Promise<object> => {
    try {
      const remainingMs = context.getRemainingTimeInMillis() - ANSWER_MS
      const crossing = await answerCrossing(ports, event, remainingMs)
      if (crossing !== undefined) return toCrossingAnswer(crossing)
      log.note('error', 'crossing-unreadable')
    } catch (cause) {
      log.note('error', 'crossing-failed', {}, redactStack(cause))
    }
    return {}
  }
}
