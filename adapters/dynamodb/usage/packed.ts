/** JSON text as gzipped bytes and back. */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'

/** Bounds memory, should stored bytes not be some that we wrote. */
const TEXT_BYTES_MAX = 20_000_000

export function packed(text: string): Promise<Uint8Array> {
  return promisify(gzip)(text)
}

export async function unpacked(bytes: Uint8Array): Promise<string> {
  return (await promisify(gunzip)(bytes, { maxOutputLength: TEXT_BYTES_MAX })).toString('utf8')
}
