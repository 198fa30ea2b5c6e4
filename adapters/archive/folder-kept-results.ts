/**
 * Results that are kept in a folder, for the twin. A file is a line of JSON with type and expiry,
 * then the bytes. It is written under a temporary name and then renamed, so readers see whole files.
 */
import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { toKeptName } from '../../core/archive/kept-result.ts'
import { MIME_TYPE_CHARS_MAX } from '../../core/call/limits.ts'
import { Fault } from '../../core/errors.ts'
import type { KeptResults } from '../../core/ports/kept-results.ts'
import type { Clock, Digests } from '../../core/ports/outside.ts'

/** Only the owner may read results: they are what agents asked for. */
const OWNER_ONLY = { folder: 0o700, file: 0o600 }
/** Bytes of the first line: a media type, a time, and some JSON around them. */
const HEAD_BYTES_MAX = MIME_TYPE_CHARS_MAX * 4 + 128

type Needs = { readonly clock: Pick<Clock, 'nowMs'>; readonly digests: Pick<Digests, 'sha256'> }

type Head = {
  readonly mimeType: string
  readonly expiresAtMs: number
  /** Bytes of the first line with its line feed. */
  readonly headBytes: number
}

export type FolderKeptResults = KeptResults & {
  /** Removes results whose time is over, and files that a crash left. */
  sweep(): Promise<void>
}

export function makeFolderKeptResults(root: string, { clock, digests }: Needs): FolderKeptResults {
  return {
    put: ({ bytes, expiresAtMs, mimeType, ...owned }) =>
      withFault(async () => {
        const name = toKeptName(digests, owned)
        if (name === undefined) throw new Error('a kept result needs an id of 43 characters')
        await putFile(join(root, name), [`${JSON.stringify({ mimeType, expiresAtMs })}\n`, bytes])
      }),

    read: ({ bytesMax, from, resultId, uid }) =>
      withFault(async () => {
        const name = toKeptName(digests, { uid, resultId })
        if (name === undefined) return undefined
        return withFile(join(root, name), async (file) => {
          const head = await readHead(file)
          if (head === undefined || head.expiresAtMs <= clock.nowMs()) return undefined
          const { expiresAtMs, headBytes, mimeType } = head
          const totalBytes = (await file.stat()).size - headBytes
          const length = Math.max(0, Math.min(bytesMax, totalBytes - from))
          const bytes = new Uint8Array(length)
          if (length > 0) await file.read(bytes, 0, length, headBytes + from)
          return { uid, resultId, mimeType, expiresAtMs, totalBytes, bytes }
        })
      }),

    sweep: () => withFault(() => sweep(root, clock.nowMs())),
  }
}

async function putFile(path: string, parts: readonly (string | Uint8Array)[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY.folder })
  const temporary = `${path}.${randomUUID()}.tmp`
  const file = await open(temporary, 'wx', OWNER_ONLY.file)
  try {
    for (const part of parts) await file.writeFile(part)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
}

/** Returns undefined for a file that this adapter did not write whole. */
async function readHead(file: FileHandle): Promise<Head | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES_MAX), 0, HEAD_BYTES_MAX, 0)
  const end = buffer.subarray(0, bytesRead).indexOf('\n')
  if (end < 0) return undefined
  const { expiresAtMs, mimeType } = JSON.parse(buffer.toString('utf8', 0, end))
  return { expiresAtMs, mimeType, headBytes: end + 1 }
}

async function sweep(root: string, nowMs: number): Promise<void> {
  const entries = await ignoreMissing(() => readdir(root, { recursive: true, withFileTypes: true }))
  for (const entry of (entries ?? []).filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const head = await withFile(path, readHead)
    if (head === undefined || head.expiresAtMs <= nowMs) await rm(path, { force: true })
  }
}

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>) {
  const file = await ignoreMissing(() => open(path, 'r'))
  if (file === undefined) return undefined
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

async function ignoreMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw cause
  }
}

async function withFault<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new Fault('store_unavailable', 'results: the folder cannot be used', cause)
  }
}
