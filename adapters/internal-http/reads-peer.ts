/**
 * Reads of kept results and of what upstreams hold, for functions that read neither: a signed POST
 * to the execute door's internal URL, with the caller's credential. Bound by ADR 0127.
 */
import { err, Fault, ok } from '../../core/errors.ts'
import type { Reading } from '../../core/mcp/revision.ts'
import type { HandedReads } from '../../core/ports/handed-reads.ts'
import { CREDENTIAL_HEADER, writeCredential } from './credential-header.ts'
import { readExecuteAnswer } from './execute-answer.ts'
import { type Fields, isArrayOf, isRecord, parseRecord } from './fields.ts'
import { type InternalSend, makeTracedSend } from './peer-send.ts'
import { makeSignedSend, type SignedSendOptions } from './signed-send.ts'

const READING_PATH = '/v1/execute/reading'
/** The 15 s of a call, and a cold start. */
const READING_TIMEOUT_MS = 20_000

export function functionUrlReads(options: SignedSendOptions): HandedReads {
  return makeHandedReads(makeSignedSend(options))
}

export function makeHandedReads(plainSend: InternalSend): HandedReads {
  const send = makeTracedSend(plainSend)
  return {
    read: async (credential, asked) => {
      const body = new TextEncoder().encode(JSON.stringify(asked))
      const headers = {
        'content-type': 'application/json',
        [CREDENTIAL_HEADER]: writeCredential(credential),
      }
      const until = { timeoutMs: READING_TIMEOUT_MS }
      const answer = await send({ path: READING_PATH, headers, body }, until)
      const fields = parseRecord(new TextDecoder().decode(answer.body))
      const reading =
        answer.status === 200 && fields !== undefined ? readReading(fields) : undefined
      if (reading !== undefined) return ok(reading)
      const refused = answer.status === 200 ? undefined : readExecuteAnswer(answer)
      if (refused?.kind !== 'problem')
        throw new Fault('internal', 'the execute door answered a reading in an unknown shape')
      const { code, detail, retryAfterSec } = refused.body
      return err({ code, detail, ...(retryAfterSec === undefined ? {} : { retryAfterSec }) })
    },
  }
}

/** The peer may be of another deployment, so the members that every reading has are checked. */
function readReading({ members, messages, ttlMs }: Fields): Reading | undefined {
  if (!isRecord(members) || (messages !== undefined && !isArrayOf(messages, isRecord)))
    return undefined
  // Casts: the values come from JSON.parse, and the door has checked each message.
  return {
    members: members as Reading['members'],
    ...(messages === undefined ? {} : { messages: messages as Reading['messages'] & object }),
    ttlMs: typeof ttlMs === 'number' ? ttlMs : undefined,
  }
}
