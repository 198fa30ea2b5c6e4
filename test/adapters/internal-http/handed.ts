import type { HandedMessage, Session } from '../../../core/session/session.ts'

/** A message of a session with one request in flight. */
export function handed(
  more: Partial<HandedMessage> = {},
  session: Partial<Session> = {},
): HandedMessage {
  return {
    sessionId: 's'.repeat(43),
    session: {
      hash: 'h'.repeat(43),
      keyHash: 'k'.repeat(43),
      uid: 'u-1',
      sealedCredential: Buffer.from([0, 1, 255]),
      createdAtMs: 1,
      lastPostAtMs: 2,
      aliveUntilMs: 3,
      endedAtMs: undefined,
      seq: 7,
      base: 6,
      pending: [{ id: '"a"', postedAtMs: 2, calls: true }],
      ...session,
    },
    seq: 7,
    acceptedAtMs: 2,
    text: '{"jsonrpc":"2.0","id":"a","method":"tools/call"}',
    ...more,
  }
}
