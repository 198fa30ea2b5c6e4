/**
 * Reads and follows the log in a twin's data folder, whether the twin runs or not. The file stays
 * open between two polls. An open file keeps its identity when the twin renames it, so no line is
 * missed or read twice at a rotation. A last line without a line feed is still being written, or
 * was cut off when the twin died. The reader waits for its end, and skips a line that never becomes
 * complete.
 *
 *   poll          read from where the previous poll ended
 *   twin          rename current to .1, begin a new current
 *   poll          read the open file, now .1, to its end, then the new one from its beginning
 */
import { type FileHandle, open } from 'node:fs/promises'
import type { TwinLogFiles } from '../../adapters/profiles/twin-log.ts'
import { type CallFilter, matchesFilter } from './call-filter.ts'
import { type LogEntry, parseLine } from './log-entry.ts'

export type TwinLogReader = {
  /**
   * Returns the entries since the previous poll that match the filter, in their order. Undefined
   * while there is no log.
   */
  poll(): Promise<readonly LogEntry[] | undefined>
  close(): Promise<void>
}

type OpenLog = {
  readonly handle: FileHandle
  /** Identifies the file for as long as it is open. */
  readonly inode: bigint
  /** Bytes that were read, up to the end of a line. */
  place: number
}

export function followTwinLog(files: TwinLogFiles, filter: CallFilter): TwinLogReader {
  let current: OpenLog | undefined
  /** Opens a file unless it is one of `known`, which are read already or will be read next. */
  const openOther = async (path: string, known: readonly (OpenLog | undefined)[]) => {
    const found = await openLog(path)
    if (found === undefined || known.every((one) => one?.inode !== found.inode)) return found
    await found.handle.close()
    return undefined
  }
  const readRestAndClose = async (log: OpenLog | undefined) => {
    const entries = log === undefined ? [] : await readNewEntries(log)
    await log?.handle.close()
    return entries
  }
  const readFirst = async () => {
    current = await openLog(files.current)
    const earlier = await openOther(files.earlier, [current])
    const entries = await readRestAndClose(earlier)
    return current === undefined && earlier === undefined ? undefined : entries
  }
  const readOn = async (from: OpenLog) => {
    const entries = [...(await readNewEntries(from))]
    for (let at = from; ; ) {
      const next = await openOther(files.current, [at])
      if (next === undefined) return entries
      // Entries that the twin wrote between the last read and the rename.
      entries.push(...(await readRestAndClose(at)))
      // Entries of a file that became full and was renamed between two polls.
      entries.push(...(await readRestAndClose(await openOther(files.earlier, [at, next]))))
      entries.push(...(await readNewEntries(next)))
      current = next
      at = next
    }
  }
  const poll = async () => {
    const before = current === undefined ? await readFirst() : []
    return current === undefined ? before : [...(before ?? []), ...(await readOn(current))]
  }
  return {
    poll: async () => (await poll())?.filter(({ fields }) => matchesFilter(filter, fields)),
    close: async () => {
      const { handle } = current ?? {}
      current = undefined
      await handle?.close()
    },
  }
}

/** Opens a log; undefined if there is no file. */
async function openLog(path: string): Promise<OpenLog | undefined> {
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

async function readNewEntries(log: OpenLog): Promise<readonly LogEntry[]> {
  const { handle, inode } = log
  const { size } = await handle.stat()
  // The file was emptied meanwhile.
  if (size < log.place) log.place = 0
  const { buffer, bytesRead } = await handle.read(
    Buffer.alloc(size - log.place),
    0,
    size - log.place,
    log.place,
  )
  const entries: LogEntry[] = []
  let from = 0
  for (let to = findLineEnd(); to >= 0; to = findLineEnd()) {
    const entry = toEntry(`${inode}/${log.place + from}`, buffer.toString('utf8', from, to))
    if (entry !== undefined) entries.push(entry)
    from = to + 1
  }
  log.place += from
  return entries

  function findLineEnd(): number {
    return buffer.subarray(0, bytesRead).indexOf('\n', from)
  }
}

/** Returns undefined for a line that was cut off. */
function toEntry(id: string, line: string): LogEntry | undefined {
  const fields = parseLine(line)
  const atMs = Date.parse(String(fields?.['timestamp']))
  return fields === undefined || Number.isNaN(atMs) ? undefined : { id, atMs, fields }
}
