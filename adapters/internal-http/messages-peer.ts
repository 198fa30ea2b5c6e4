/**
 * The client of the messages door, for the front door: over its function URL or in this process.
 */
import { Fault } from '../../core/errors.ts'
import type { MessagesDoor } from '../../core/ports/sessions.ts'
import { encodeHanded, HANDED_CONTENT_TYPE } from './handed-codec.ts'
import { type InternalSend, tracedSend } from './peer-send.ts'
import { type SignedSendOptions, signedSend } from './signed-send.ts'

/** The door answers before it works on the message; a cold start takes about half a second. */
const HAND_ON_TIMEOUT_MS = 5_000
const HANDED_PATH = '/v1/mcp/messages'

export function functionUrlMessages(options: SignedSendOptions): MessagesDoor {
  return messagesOver(signedSend(options))
}

export function messagesOver(plainSend: InternalSend): MessagesDoor {
  const send = tracedSend(plainSend)
  return {
    handOn: async (message) => {
      const headers = { 'content-type': HANDED_CONTENT_TYPE }
      const request = { path: HANDED_PATH, headers, body: encodeHanded(message) }
      const answer = await send(request, { timeoutMs: HAND_ON_TIMEOUT_MS })
      if (answer.status === 202) return
      throw new Fault('internal', `the messages door answered ${answer.status} instead of 202`)
    },
  }
}
