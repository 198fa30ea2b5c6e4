/** The messages door of the same process, with the contract that it has over HTTP. */
import type { MessagesDoor } from '../../core/ports/sessions.ts'
import type { DoorHandler } from './door-handler.ts'
import { type InProcessOptions, inProcessSend } from './in-process-send.ts'
import { messagesOver } from './messages-peer.ts'

/** The messages door of this process, with the same contract as over HTTP. */
export function inProcessMessages(
  handler: DoorHandler,
  options: InProcessOptions = {},
): MessagesDoor {
  return messagesOver(inProcessSend(handler, options))
}
