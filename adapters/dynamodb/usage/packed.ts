/** JSON text as gzipped bytes and back. */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'

const pack = promisify(gzip)
const unpack = promisify(gunzip)

/** Bounds memory, should stored bytes not be some that we wrote. */
const TEXT_BYTES_MAX = 20_000_000

export function packed(text: string): Promise<Uint8Array> {
  return pack(text)
}

export async function unpacked(bytes: Uint8Array): Promise<string> {
  return (await unpack(bytes, { maxOutputLength: TEXT_BYTES_MAX })).toString('utf8')
}
