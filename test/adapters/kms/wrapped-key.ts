/**
 * Data keys as these tests' KMS wraps them: under a key of its own, for the same encryption context
 * only, and of the length of real ones.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

export type KmsContext = { readonly [key: string]: string }

/** The length of KMS's own wrapped keys. */
const PADDING = 184 - 12 - 16 - 32

export function wrap(key: Buffer, plain: Buffer, context: KmsContext): Uint8Array {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo(context))
  const body = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  return new Uint8Array(Buffer.concat([nonce, body, Buffer.alloc(PADDING)]))
}

/** Undefined for bytes that were wrapped under another key or context, or changed. */
export function unwrap(
  key: Buffer,
  wrapped: Uint8Array,
  context: KmsContext,
): Uint8Array | undefined {
  const bytes = Buffer.from(wrapped)
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
    decipher.setAAD(boundTo(context)).setAuthTag(bytes.subarray(44, 60))
    if (bytes.subarray(60).some((byte) => byte !== 0)) return undefined
    return new Uint8Array(
      Buffer.concat([decipher.update(bytes.subarray(12, 44)), decipher.final()]),
    )
  } catch {
    return undefined
  }
}

function boundTo(context: KmsContext): Buffer {
  return Buffer.from(JSON.stringify(Object.entries(context).sort()))
}
