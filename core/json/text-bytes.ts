/** How long a text is where limits count: in UTF-8. */

const ENCODER = new TextEncoder()

export function bytesOf(text: string): number {
  return ENCODER.encode(text).length
}
