/**
 * The message of a warm-up: a call of a made-up user over a session that no stream holds. Its reply
 * goes to the store of the warm-up, which drops it.
 */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import type { FunctionUrlEvent, StreamingHandler } from '../../adapters/http/events.ts'
import { encodeHandedMessage } from '../../adapters/internal-http/handed-codec.ts'
import { readCredential } from '../../core/access/credential.ts'
import { ALIVE_MS } from '../../core/session/stream-plan.ts'

/** Returns a handler that takes the POST of an agent and hands it on to `door`, as sse does. */
export function handOnTo(door: StreamingHandler, nowMs: number): StreamingHandler {
  return (event, out, context) => door(toHandedOn(event, nowMs), out, context)
}

function toHandedOn(event: FunctionUrlEvent, nowMs: number): FunctionUrlEvent {
  const { body = '', headers, requestContext } = event
  const [digests, sessionId] = [nodeDigests(), requestContext.requestId]
  const credential = JSON.stringify(readCredential(digests, headers['authorization']))
  const bytes = encodeHandedMessage({
    sessionId,
    seq: 1,
    acceptedAtMs: nowMs,
    text: body,
    session: {
      hash: digests.sha256(sessionId),
      keyHash: '',
      uid: sessionId,
      sealedCredential: nodeSeals().seal(sessionId, 'credential', credential),
      createdAtMs: nowMs,
      lastPostAtMs: nowMs,
      aliveUntilMs: nowMs + ALIVE_MS,
      endedAtMs: undefined,
      seq: 1,
      base: 0,
      pending: [{ id: '1', postedAtMs: nowMs, calls: true }],
    },
  })
  const iam = { accountId: '', userArn: '' }
  return {
    ...event,
    requestContext: { ...requestContext, authorizer: { iam } },
    body: Buffer.from(bytes).toString('base64'),
    isBase64Encoded: true,
  }
}
