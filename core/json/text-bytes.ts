/** The length of a text in UTF-8 bytes, the unit of our limits. */

const ENCODER = new TextEncoder()
const BEYOND_ASCII = /[\u0080-\uffff]/

/** Nearly all texts are ASCII: looking for another character costs a tenth of the bytes themselves. */
export function bytesOf(text: string): number {
  return BEYOND_ASCII.test(text) ? ENCODER.encode(text).length : text.length
}
