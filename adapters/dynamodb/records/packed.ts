/**
 * Gzips text and unzips it: short texts in this thread, long ones in another, which costs a switch.
 */
import { promisify } from 'node:util'
import { gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib'

/** Characters to pack, or bytes to unpack, in this thread: about 0.3 ms. */
const IN_THREAD_MAX = 32_768

export async function gzipText(text: string): Promise<Uint8Array> {
  return text.length <= IN_THREAD_MAX ? gzipSync(text) : promisify(gzip)(text)
}

/** Bounds memory if the stored bytes were not written by this gateway. */
const TEXT_BYTES_MAX = 20_000_000

/** Throws if the bytes are no gzip, or their text has more than `textBytesMax` bytes. */
export async function gunzipText(
  bytes: Uint8Array,
  textBytesMax = TEXT_BYTES_MAX,
): Promise<string> {
  const options = { maxOutputLength: textBytesMax }
  const isShort = bytes.length <= IN_THREAD_MAX
  const text = isShort ? gunzipSync(bytes, options) : await promisify(gunzip)(bytes, options)
  return text.toString('utf8')
}
