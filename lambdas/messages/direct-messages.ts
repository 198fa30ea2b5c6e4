/**
 * The messages door without HTTP, for a host that has sse and messages in one process. Runs the
 * same flow as the door (door.ts), with the message as it was accepted. The trace continues by
 * itself. Failures are logged as the door logs them.
 */
import { toThrownRefusal } from '../../adapters/http/problem.ts'
import { ERRORS } from '../../core/errors.ts'
import { type ProcessMessageNeeds, processMessage } from '../../core/flow/sse/process-message.ts'
import { makeToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import type { MessagesDoor } from '../../core/ports/sessions.ts'
import type { Settings } from '../../core/settings.ts'

/** Returns the port that takes messages in this process. Calls are made by `ports.execute`. */
export function createDirectMessages(host: {
  readonly ports: ProcessMessageNeeds
  readonly settings: Settings
  /** Registers running work, so that a stop of the host waits for it. */
  track<T>(work: Promise<T>): Promise<T>
}): MessagesDoor {
  const { ports, settings, track } = host
  const context = { ports, settings, caches: { lists: makeToolListCache() } }
  const logFailure = (cause: unknown) => {
    const { code } = toThrownRefusal(cause)
    ports.log.note(ERRORS[code].logLevel, 'door-failed', { code }, cause)
  }
  return {
    // Returns as soon as the message is taken, as the door does with its 202; the work continues
    // afterwards.
    handOn: async (message) => void track(processMessage(context, message).catch(logFailure)),
  }
}
