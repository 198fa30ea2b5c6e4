/**
 * Watches the files of skills that a command names, and tells of each save. A save is told once, by
 * the hash of the content, however many events the editor causes; a file that is being written is
 * read again until it stays the same.
 */
import { createHash } from 'node:crypto'
import { type FSWatcher, readFileSync, watch } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Invocation } from '../command/command.ts'
import { CommandFault } from '../terminal/exit-code.ts'
import { nameCallFile } from './saved-call.ts'
import { isFolder, listSkillFiles } from './skill-files.ts'

export type FileChange = { readonly kind: 'deleted' | 'saved'; readonly file: string }

/** A program that saves writes its file within this time, mostly at once. */
const SETTLE_MS = 50

/**
 * Yields each file first, then each save and deletion, until the command is interrupted. A saved
 * call that changes is a save of its skill.
 */
export async function* watchSkillFiles(call: Invocation): AsyncGenerator<FileChange> {
  const { signal } = call.shell
  const hashes = new Map<string, string>()
  const changed = makeFlag(signal)
  const watchers = openWatchers(call, changed.raise)
  try {
    while (!signal.aborted) {
      yield* takeChanges(call, hashes)
      await changed.wait()
    }
  } finally {
    for (const watcher of watchers) watcher.close()
  }
}

async function* takeChanges(
  call: Invocation,
  hashes: Map<string, string>,
): AsyncGenerator<FileChange> {
  const files = listFilesNow(call)
  for (const file of [...hashes.keys()]) {
    if (files.includes(file) && hashFile(call, file) !== undefined) continue
    hashes.delete(file)
    yield { kind: 'deleted', file }
  }
  for (const file of files) {
    const hash = hashFile(call, file)
    if (hash === undefined || hash === hashes.get(file)) continue
    const settled = await settle(call, file, hash)
    if (settled === undefined || settled === hashes.get(file)) continue
    hashes.set(file, settled)
    yield { kind: 'saved', file }
  }
}

/** Reads until the content is the same twice. Editors empty a file before they write it. */
async function settle(call: Invocation, file: string, hash: string): Promise<string | undefined> {
  let before: string | undefined = hash
  for (let tries = 0; tries < SETTLE_TRIES && !call.shell.signal.aborted; tries += 1) {
    await sleep(SETTLE_MS)
    const now = hashFile(call, file)
    if (now === before) return now
    before = now
  }
  return before
}

const SETTLE_TRIES = 20

/** Undefined for a file that is not there, or is empty as while it is written. */
function hashFile({ shell }: Invocation, file: string): string | undefined {
  const content = readIfThere(resolve(shell.cwd, file))
  if (content === undefined || content.length === 0) return undefined
  const saved = readIfThere(resolve(shell.cwd, nameCallFile(file)))
  const hash = createHash('sha256').update(content)
  return hash
    .update(`\n${saved?.length}\n`)
    .update(saved ?? '')
    .digest('hex')
}

function readIfThere(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/** A folder may become empty while it is watched. */
function listFilesNow(call: Invocation): readonly string[] {
  try {
    return listSkillFiles(call)
  } catch (cause) {
    if (cause instanceof CommandFault) return []
    throw cause
  }
}

/** Editors replace a file by renaming another one, so the folder of a file is watched. */
function openWatchers({ shell, words }: Invocation, raise: () => void): readonly FSWatcher[] {
  const paths = (words['PATH'] ?? []).map((path) => resolve(shell.cwd, path))
  const folders = paths.map((path) => (isFolder(path) ? path : dirname(path)))
  return [...new Set(folders)].map((folder) =>
    watch(folder, { recursive: paths.includes(folder) }, raise),
  )
}

/** A flag that may be raised before somebody waits for it. */
function makeFlag(signal: AbortSignal) {
  let isRaised = false
  let wake = () => {}
  const raise = () => {
    isRaised = true
    wake()
  }
  signal.addEventListener('abort', raise)
  return {
    raise,
    wait: async () => {
      if (!isRaised) {
        const raised = Promise.withResolvers<void>()
        wake = raised.resolve
        await raised.promise
      }
      isRaised = false
    },
  }
}
