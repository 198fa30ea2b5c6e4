/**
 * A message that the front door hands on, as bytes: one line of JSON about it, a line feed, then
 * the agent's message exactly as it was posted. The message is not escaped again, so its size does
 * not grow (a MiB of quotes stays a MiB, far below the platform's 6 MB). Only the flow parses the
 * message.
 */
import { Fault } from '../../core/errors.ts'
import type { HandedMessage, PendingRequest, Session } from '../../core/session/session.ts'
import { type Fields, isArrayOf, isRecord, parseRecord } from './fields.ts'

/** Not a text type, so that the platform passes the bytes on in base64, unchanged. */
export const HANDED_CONTENT_TYPE = 'application/octet-stream'
/** 1 MiB for the message, and 1 MiB for the line about it (pending requests with long ids). */
export const HANDED_BYTES_MAX = 2_097_152

const LINE_FEED = 0x0a

export function encodeHandedMessage(message: HandedMessage): Uint8Array {
  const { text, session, ...rest } = message
  const { sealedCredential: sealed, ...plain } = session
  const head = {
    ...rest,
    session: {
      ...plain,
      ...(sealed === undefined ? {} : { sealedCredential: Buffer.from(sealed).toString('base64') }),
    },
  }
  return Buffer.from(`${JSON.stringify(head)}\n${text}`)
}

/** Throws `Fault('internal')` for another shape: only the gateway's own front door may call. */
export function decodeHandedMessage(bytes: Uint8Array): HandedMessage {
  const lineEnd = bytes.indexOf(LINE_FEED)
  const head = lineEnd < 0 ? undefined : parseRecord(decodeUtf8(bytes.subarray(0, lineEnd)))
  const session = isRecord(head?.['session']) ? readSession(head['session']) : undefined
  const { sessionId, seq, acceptedAtMs, client } = head ?? {}
  if (
    session === undefined ||
    typeof sessionId !== 'string' ||
    typeof seq !== 'number' ||
    typeof acceptedAtMs !== 'number' ||
    !isOptional('string', client)
  ) {
    throw new Fault('internal', 'a handed-on message has an unknown shape')
  }
  const text = decodeUtf8(bytes.subarray(lineEnd + 1))
  return {
    sessionId,
    session,
    seq,
    acceptedAtMs,
    ...(client === undefined ? {} : { client }),
    text,
  }
}

function readSession(fields: Fields): Session | undefined {
  const { hash, keyHash, uid, endedAtMs, sealedCredential: sealed, pending } = fields
  const { createdAtMs, lastPostAtMs, aliveUntilMs, seq, base } = fields
  if (typeof hash !== 'string' || typeof keyHash !== 'string') return undefined
  if (!isOptional('string', uid) || !isOptional('string', sealed)) return undefined
  if (!isOptional('number', endedAtMs) || !isArrayOf(pending, isPendingRequest)) return undefined
  if (typeof createdAtMs !== 'number' || typeof lastPostAtMs !== 'number') return undefined
  if (typeof aliveUntilMs !== 'number' || typeof seq !== 'number') return undefined
  if (typeof base !== 'number') return undefined
  return {
    hash,
    keyHash,
    uid,
    sealedCredential: sealed === undefined ? undefined : Buffer.from(sealed, 'base64'),
    createdAtMs,
    lastPostAtMs,
    aliveUntilMs,
    endedAtMs,
    seq,
    base,
    pending,
  }
}

function isPendingRequest(value: unknown): value is PendingRequest {
  if (!isRecord(value)) return false
  const { id, postedAtMs, calls } = value
  return typeof id === 'string' && typeof postedAtMs === 'number' && typeof calls === 'boolean'
}

function isOptional(kind: 'string', value: unknown): value is string | undefined
function isOptional(kind: 'number', value: unknown): value is number | undefined
function isOptional(kind: 'string' | 'number', value: unknown): boolean {
  return value === undefined || typeof value === kind
}

/** Keeps a byte order mark, so that the text stays exactly as it was posted. */
function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}
