/**
 * The client of the messages door, for the front door: over its function URL or in this process.
 */
import { Fault } from '../../core/errors.ts'
import type { MessagesDoor } from '../../core/ports/sessions.ts'
import { encodeHandedMessage, HANDED_CONTENT_TYPE } from './handed-codec.ts'
import { type InternalSend, makeTracedSend } from './peer-send.ts'
import { makeSignedSend, type SignedSendOptions } from './signed-send.ts'

/** The door answers before it works on the message; a cold start takes about half a second. */
const HAND_ON_TIMEOUT_MS = 5_000
const HANDED_PATH = '/v1/mcp/messages'

export function functionUrlMessages(options: SignedSendOptions): MessagesDoor {
  return makeMessagesDoor(makeSignedSend(options))
}

export function makeMessagesDoor(plainSend: InternalSend): MessagesDoor {
  const send = makeTracedSend(plainSend)
  return {
    handOn: async (message) => {
      const headers = { 'content-type': HANDED_CONTENT_TYPE }
      const request = { path: HANDED_PATH, headers, body: encodeHandedMessage(message) }
      const answer = await send(request, { timeoutMs: HAND_ON_TIMEOUT_MS })
      if (answer.status === 202) return
      throw new Fault('internal', `the messages door answered ${answer.status} instead of 202`)
    },
  }
}
