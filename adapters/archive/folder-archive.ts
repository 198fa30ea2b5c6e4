/**
 * The archive as a folder, for the twin. A file is written under a temporary name, flushed, and
 * then renamed. So a crash leaves a whole file, or a temporary one that readers ignore. Two puts of
 * one name at once have the same content.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OBJECT_SUFFIX } from '../../core/archive/archive-object.ts'
import { Fault } from '../../core/errors.ts'
import type { Archive } from '../../core/ports/usage.ts'
import { gunzipObject, gzipObject } from './object-bytes.ts'

/** Only the owner may read the archive, because it shows which user called which skill. */
const OWNER_ONLY = { folder: 0o700, file: 0o600 }

export function makeFolderArchive(root: string): Archive {
  return {
    put: ({ name, text }) => withFault(() => put(join(root, name), text)),

    list: (prefix) =>
      withFault(async () => {
        const files = await listFiles(root)
        return files.filter((name) => name.startsWith(prefix)).sort()
      }),

    read: async (name) => {
      const bytes = await withFault(() => readBytes(join(root, name)))
      return bytes === undefined ? undefined : gunzipObject(name, bytes)
    },

    remove: (name) => withFault(() => rm(join(root, name), { force: true })),
  }
}

async function put(path: string, text: string): Promise<void> {
  if (await exists(path)) return
  await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY.folder })
  const temporary = `${path}.${randomUUID()}.tmp`
  const file = await open(temporary, 'wx', OWNER_ONLY.file)
  try {
    await file.writeFile(await gzipObject(text))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  // The rename is durable only after the folder is flushed too.
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Names with slashes, without temporary files of a crash. */
async function listFiles(root: string): Promise<readonly string[]> {
  const entries = await ignoreMissing(() => readdir(root, { recursive: true, withFileTypes: true }))
  return (entries ?? [])
    .filter((entry) => entry.isFile() && entry.name.endsWith(OBJECT_SUFFIX))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, '/').length))
    .map((name) => name.replaceAll('\\', '/'))
}

function readBytes(path: string): Promise<Uint8Array | undefined> {
  return ignoreMissing(() => readFile(path))
}

async function exists(path: string): Promise<boolean> {
  return (await ignoreMissing(() => stat(path))) !== undefined
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
    throw new Fault('store_unavailable', 'archive: the folder cannot be used', cause)
  }
}
