/** Base64 of a text's UTF-8 bytes (RFC 4648 4, padded): core has no Buffer. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

export function base64(text: string): string {
  const bytes = new TextEncoder().encode(text)
  let encoded = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b, c] = bytes.subarray(at, at + 3)
    const bits = (a << 16) | ((b ?? 0) << 8) | (c ?? 0)
    const chars = [18, 12, 6, 0].map((shift) => ALPHABET[(bits >> shift) & 63] ?? '')
    if (b === undefined) chars[2] = '='
    if (c === undefined) chars[3] = '='
    encoded += chars.join('')
  }
  return encoded
}
