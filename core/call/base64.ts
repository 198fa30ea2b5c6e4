/** Base64 of bytes, or of a text's UTF-8 bytes (RFC 4648 4, padded): core has no Buffer. */

/** A multiple of 3, so that chunks join without padding; and few enough for a call's arguments. */
const CHUNK_BYTES = 24_576

const ENCODER = new TextEncoder()

export function base64(text: string): string {
  return base64OfBytes(ENCODER.encode(text))
}

export function base64OfBytes(bytes: Uint8Array): string {
  const chunks: string[] = []
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    chunks.push(btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES))))
  }
  return chunks.join('')
}

const PADDED = /^[A-Za-z0-9+/]+={0,2}$/

/** Bytes that a padded base64 text stands for; undefined when it is none. No white space, not ''. */
export function base64Bytes(text: string): number | undefined {
  if (text.length % 4 !== 0 || !PADDED.test(text)) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return (text.length / 4) * 3 - padding
}
