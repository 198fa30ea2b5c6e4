/**
 * Reads and follows the log in a twin's data folder, whether the twin runs or not. The file stays open between
 * two looks: an open file keeps its identity when the twin renames it, so that no line is missed or read twice
 * at a rotation. A last line without a line feed is still being written, or was cut when the twin died: it
 * waits for its end, and one that never was whole is left out.
 *
 *   look          read from the place of the look before
 *   twin          rename current to .1, begin a new current
 *   look          read the open file, now .1, to its end, then the new one from its beginning
 */
import { type FileHandle, open } from 'node:fs/promises'
import type { TwinLogFiles } from '../../adapters/profiles/twin-log.ts'
import { type CallFilter, isAskedFor } from './call-filter.ts'
import { fieldsOfLine, type LogEntry } from './log-entry.ts'

export type TwinLogReader = {
  /** Entries since the look before that the filter asks for, in their order; undefined while there is no log. */
  look(): Promise<readonly LogEntry[] | undefined>
  close(): Promise<void>
}

type OpenLog = {
  readonly handle: FileHandle
  /** Tells this file from others for as long as it is open. */
  readonly inode: bigint
  /** Bytes that were read, up to the end of a line. */
  place: number
}

export function readTwinLog(files: TwinLogFiles, filter: CallFilter): TwinLogReader {
  let held: OpenLog | undefined
  /** Without those files that are among `known`, which are read already or come next. */
  const other = async (path: string, known: readonly (OpenLog | undefined)[]) => {
    const found = await opened(path)
    if (found === undefined || known.every((one) => one?.inode !== found.inode)) return found
    await found.handle.close()
    return undefined
  }
  const wholeOf = async (log: OpenLog | undefined) => {
    const entries = log === undefined ? [] : await newEntries(log)
    await log?.handle.close()
    return entries
  }
  const first = async () => {
    held = await opened(files.current)
    const earlier = await other(files.earlier, [held])
    const entries = await wholeOf(earlier)
    return held === undefined && earlier === undefined ? undefined : entries
  }
  const goOn = async (from: OpenLog) => {
    const entries = [...(await newEntries(from))]
    for (let at = from; ; ) {
      const next = await other(files.current, [at])
      if (next === undefined) return entries
      // What the twin wrote between the last read and the rename.
      entries.push(...(await wholeOf(at)))
      // A file that became full and was renamed between two looks.
      entries.push(...(await wholeOf(await other(files.earlier, [at, next]))))
      entries.push(...(await newEntries(next)))
      held = next
      at = next
    }
  }
  const look = async () => {
    const before = held === undefined ? await first() : []
    return held === undefined ? before : [...(before ?? []), ...(await goOn(held))]
  }
  return {
    look: async () => (await look())?.filter(({ fields }) => isAskedFor(filter, fields)),
    close: async () => {
      const { handle } = held ?? {}
      held = undefined
      await handle?.close()
    },
  }
}

/** Undefined where there is no file. */
async function opened(path: string): Promise<OpenLog | undefined> {
  let handle: FileHandle
  try {
    handle = await open(path, 'r')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw cause
  }
  const { ino: inode } = await handle.stat({ bigint: true })
  return { handle, inode, place: 0 }
}

async function newEntries(log: OpenLog): Promise<readonly LogEntry[]> {
  const { handle, inode } = log
  const { size } = await handle.stat()
  // Somebody emptied it.
  if (size < log.place) log.place = 0
  const { buffer, bytesRead } = await handle.read(
    Buffer.alloc(size - log.place),
    0,
    size - log.place,
    log.place,
  )
  const entries: LogEntry[] = []
  let from = 0
  for (let to = endOfLine(); to >= 0; to = endOfLine()) {
    const entry = entryOf(`${inode}/${log.place + from}`, buffer.toString('utf8', from, to))
    if (entry !== undefined) entries.push(entry)
    from = to + 1
  }
  log.place += from
  return entries

  function endOfLine(): number {
    return buffer.subarray(0, bytesRead).indexOf('\n', from)
  }
}

/** Undefined for a line that was cut. */
function entryOf(id: string, line: string): LogEntry | undefined {
  const fields = fieldsOfLine(line)
  const atMs = Date.parse(String(fields?.['timestamp']))
  return fields === undefined || Number.isNaN(atMs) ? undefined : { id, atMs, fields }
}
