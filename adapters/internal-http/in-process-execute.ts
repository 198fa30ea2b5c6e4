/** The execute door of the same process, with the contract that it has over HTTP. */
import type { ExecuteDoor } from '../../core/ports/sessions.ts'
import type { DoorHandler } from './door-handler.ts'
import { executeOver } from './execute-peer.ts'
import { type InProcessOptions, inProcessSend } from './in-process-send.ts'

/** The execute door of this process, with the same contract as over HTTP. */
export function inProcessExecute(
  handler: DoorHandler,
  options: InProcessOptions = {},
): ExecuteDoor {
  return executeOver(inProcessSend(handler, options))
}
