/** The length of a text in UTF-8 bytes, the unit of our limits. */

const ENCODER = new TextEncoder()

export function bytesOf(text: string): number {
  return ENCODER.encode(text).length
}
