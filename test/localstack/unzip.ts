/**
 * Reads the files of a zip archive, the form in which Lambda keeps deployed code: the central
 * directory, and stored or deflated entries. No encryption, no zip64, no folders: a deployed
 * function has none.
 */
import { inflateRawSync } from 'node:zlib'

const END_RECORD = Buffer.from('504b0506', 'hex')
const ENTRY = 0x02014b50
const STORED = 0
const DEFLATED = 8

export function unzip(archive: Buffer): ReadonlyMap<string, Buffer> {
  const end = archive.lastIndexOf(END_RECORD)
  if (end < 0) throw new Error('no zip archive: it has no end record')
  const count = archive.readUInt16LE(end + 10)
  const files = new Map<string, Buffer>()
  let at = archive.readUInt32LE(end + 16)
  for (let entry = 0; entry < count; entry += 1) {
    if (archive.readUInt32LE(at) !== ENTRY) throw new Error(`no zip entry at byte ${at}`)
    const nameBytes = archive.readUInt16LE(at + 28)
    const name = archive.toString('utf8', at + 46, at + 46 + nameBytes)
    if (!name.endsWith('/')) files.set(name, contentOf(archive, at))
    at += 46 + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  return files
}

function contentOf(archive: Buffer, entryAt: number): Buffer {
  const method = archive.readUInt16LE(entryAt + 10)
  const bytes = archive.readUInt32LE(entryAt + 20)
  const headerAt = archive.readUInt32LE(entryAt + 42)
  // The local header has lengths of its own: its extra field differs from the directory's.
  const names = archive.readUInt16LE(headerAt + 26) + archive.readUInt16LE(headerAt + 28)
  const from = headerAt + 30 + names
  const raw = archive.subarray(from, from + bytes)
  if (method === STORED) return raw
  if (method === DEFLATED) return inflateRawSync(raw)
  throw new Error(`zip method ${method} is neither stored nor deflated`)
}
