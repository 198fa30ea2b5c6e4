/**
 * Seals texts of a session under a key that is derived only from its session id (HKDF-SHA256 →
 * AES-256-GCM). So a copy of the store opens nothing. No key is kept. Bound by docs/service.md,
 * Sessions.
 *
 *   0       1       2          14                     n − 16
 *   format  flags   nonce(12)  ciphertext             tag(16)
 *
 * The tag also covers the format, the flags and the purpose. The nonce is random: a session seals
 * far fewer texts than the 2^32 that 96 random bits allow under one key.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Fault } from '../../core/errors.ts'
import type { Seals } from '../../core/ports/outside.ts'

/** Part of every derived key: a new layout needs a new string and a new format byte. */
const KEY_INFO = 'skillgate/seal/1'
const FORMAT = 1
const GZIPPED = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 2
/** Shorter texts are not gzipped: that would not save a write unit (1 kB each). */
const GZIP_FROM_BYTES = 600
/** The largest result of a task, with a margin. The limit stops a sealed zip bomb. */
export const SEALED_TEXT_BYTES_MAX = 4_194_304

const CIPHER = 'aes-256-gcm'

export function nodeSeals(): Seals {
  return { seal, open }
}

function seal(sessionId: string, purpose: string, text: string): Uint8Array {
  const plain = Buffer.from(text)
  if (plain.length > SEALED_TEXT_BYTES_MAX) {
    throw new Fault('internal', `a text to seal is over ${SEALED_TEXT_BYTES_MAX} bytes`)
  }
  const zipped = plain.length > GZIP_FROM_BYTES ? gzipSync(plain) : plain
  const smaller = zipped.length < plain.length
  const head = Buffer.from([FORMAT, smaller ? GZIPPED : 0])
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, deriveKey(sessionId), nonce)
  cipher.setAAD(makeAad(head, purpose))
  const body = cipher.update(smaller ? zipped : plain)
  return Buffer.concat([head, nonce, body, cipher.final(), cipher.getAuthTag()])
}

function open(sessionId: string, purpose: string, sealed: Uint8Array): string {
  try {
    return openOrThrow(sessionId, purpose, Buffer.from(sealed))
  } catch (cause) {
    throw new Fault('internal', 'a sealed text does not open', cause)
  }
}

function openOrThrow(sessionId: string, purpose: string, sealed: Buffer): string {
  const head = sealed.subarray(0, HEAD_BYTES)
  if (head[0] !== FORMAT) throw new Error('unknown format')
  const tagAt = sealed.length - TAG_BYTES
  const bodyAt = HEAD_BYTES + NONCE_BYTES
  if (tagAt < bodyAt) throw new Error('too short')
  const nonce = sealed.subarray(HEAD_BYTES, bodyAt)
  const decipher = createDecipheriv(CIPHER, deriveKey(sessionId), nonce, {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(makeAad(head, purpose))
  decipher.setAuthTag(sealed.subarray(tagAt))
  const plain = Buffer.concat([decipher.update(sealed.subarray(bodyAt, tagAt)), decipher.final()])
  if (head[1] !== GZIPPED) return plain.toString()
  return gunzipSync(plain, { maxOutputLength: SEALED_TEXT_BYTES_MAX }).toString()
}

function deriveKey(sessionId: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', sessionId, '', KEY_INFO, 32))
}

function makeAad(head: Uint8Array, purpose: string): Uint8Array {
  return Buffer.concat([head, Buffer.from(purpose)])
}
