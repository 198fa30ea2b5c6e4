/** Text as gzipped bytes and back. Short ones at once, which costs less than a thread's turn; long ones in a thread. */
import { promisify } from 'node:util'
import { gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib'

/** In characters to pack, and in bytes to unpack: about 0.3 ms. */
const AT_ONCE_MAX = 32_768

export async function packed(text: string): Promise<Uint8Array> {
  return text.length <= AT_ONCE_MAX ? gzipSync(text) : promisify(gzip)(text)
}

/** Bounds memory, should stored bytes not be some that we wrote. */
const TEXT_BYTES_MAX = 20_000_000

/** Throws for bytes that are no gzip, or whose text has more than `textBytesMax` bytes. */
export async function unpacked(bytes: Uint8Array, textBytesMax = TEXT_BYTES_MAX): Promise<string> {
  const options = { maxOutputLength: textBytesMax }
  const isShort = bytes.length <= AT_ONCE_MAX
  const text = isShort ? gunzipSync(bytes, options) : await promisify(gunzip)(bytes, options)
  return text.toString('utf8')
}
