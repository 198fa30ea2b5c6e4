/** Gzips the text of an object and unzips it. Athena and `gunzip` recognise it by its suffix. */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { Fault } from '../../core/errors.ts'

const pack = promisify(gzip)
const unpack = promisify(gunzip)

/** Bounds memory if the bytes were not written by this gateway. */
const TEXT_BYTES_MAX = 64_000_000

export function gzipObject(text: string): Promise<Uint8Array> {
  return pack(text)
}

/** Throws `Fault('internal')` for bytes that do not unpack. */
export async function gunzipObject(name: string, bytes: Uint8Array): Promise<string> {
  try {
    return (await unpack(bytes, { maxOutputLength: TEXT_BYTES_MAX })).toString('utf8')
  } catch (cause) {
    throw new Fault('internal', `archive: ${name} cannot be unpacked`, cause)
  }
}
