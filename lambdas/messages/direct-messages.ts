/**
 * The messages door without its HTTP, for a host that has sse and messages in one process: runs what the door runs
 * (door.ts), with the message as it was accepted. The trace goes on by itself. Trouble is logged as the door logs it.
 */
import { refusalOfThrown } from '../../adapters/http/problem.ts'
import { ERRORS } from '../../core/errors.ts'
import { processMessage } from '../../core/flow/sse/process-message.ts'
import { toolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import type { MessagesDoor } from '../../core/ports/sessions.ts'
import type { Settings } from '../../core/settings.ts'
import type { MessagesPorts } from './door.ts'

export function directMessages(host: {
  readonly ports: MessagesPorts
  readonly settings: Settings
  /** Counts the work as running: a stop waits for it. */
  track<T>(work: Promise<T>): Promise<T>
}): MessagesDoor {
  const { ports, settings, track } = host
  const context = { ports, settings, caches: { lists: toolListCache() } }
  const failed = (cause: unknown) => {
    const { code } = refusalOfThrown(cause)
    ports.log.note(ERRORS[code].logLevel, 'door-failed', { code }, cause)
  }
  return {
    // Takes the message, as the door does by its 202; the work goes on behind.
    handOn: async (message) => void track(processMessage(context, message).catch(failed)),
  }
}
