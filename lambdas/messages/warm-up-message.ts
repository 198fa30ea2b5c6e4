/**
 * The message of a warm-up: a call of a made-up user over a session that no stream holds. Its reply
 * is stored in the store of the warm-up, which drops it.
 */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { encodeHandedMessage } from '../../adapters/internal-http/handed-codec.ts'
import { readCredential } from '../../core/access/credential.ts'
import { ALIVE_MS } from '../../core/session/stream-plan.ts'
import type { WarmUpCaller } from '../call/warm-up.ts'

/** Returns the bytes that sse would hand on. */
export function makeWarmUpMessage(
  skill: string,
  { authorization, nowMs, uid }: WarmUpCaller,
): Uint8Array {
  const digests = nodeDigests()
  const sessionId = uid
  const credential = JSON.stringify(readCredential(digests, authorization))
  return encodeHandedMessage({
    sessionId,
    seq: 1,
    acceptedAtMs: nowMs,
    text: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: skill, arguments: { text: 'x' } },
    }),
    session: {
      hash: digests.sha256(sessionId),
      keyHash: uid,
      uid,
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
}
