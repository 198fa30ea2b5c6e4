/**
 * Writes the twin's log into its data folder. A caller does not wait for a write: lines wait some
 * milliseconds and are written together. If the process dies, waiting lines are lost and the last
 * line may be cut; the next start ends a cut line, so that no other line joins it.
 *
 *   write  write  write ──┐ 50 ms          write ──┐ 50 ms
 *                         └▶ one append            └▶ full: rename to .1, begin a new file, append
 */
import { constants } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { TWIN_LOG_BYTES_MAX, type TwinLogFiles } from '../../adapters/profiles/twin-log.ts'

export type LogFile = {
  /** Takes one line with its line feed, and returns before the line is written. Never throws. */
  write(line: string): void
  /** Writes the waiting lines; later lines are dropped. */
  close(): Promise<void>
}

type LogFileOptions = {
  /** Called at the first of several failures in a row; the lines of a failed append are lost. */
  readonly onFault: (cause: unknown) => void
  /**
   * Called with the number of lines for which there was no room, when the waiting lines are being
   * written.
   */
  readonly onDropped: (count: number) => void
  readonly bytesMax?: number
}

const WRITE_DELAY_MS = 50
/** Most characters of lines that wait for a slow disk; further lines are dropped and counted. */
export const WAITING_CHARS_MAX = 1_048_576
/** The mode of the file, as for the credentials beside it. */
const OWNER_ONLY = 0o600
const LINE_FEED = 10
/** Flags for appending, never through a link. Windows has no O_NOFOLLOW. */
const APPEND_FLAGS =
  constants.O_APPEND | constants.O_CREAT | constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)

/** Opens the log. Creates the file soon after, so that it exists before the first line. */
export function openLogFile(files: TwinLogFiles, options: LogFileOptions): LogFile {
  const { bytesMax = TWIN_LOG_BYTES_MAX, onDropped, onFault } = options
  const file = openRotatedFile(files, bytesMax)
  let waiting: string[] = []
  let waitingChars = 0
  let dropped = 0
  let isFailing = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined

  const writeWaiting = async () => {
    const [lines, count] = [waiting, dropped]
    waiting = []
    waitingChars = 0
    dropped = 0
    if (count > 0) onDropped(count)
    try {
      await file.append(lines)
      isFailing = false
    } catch (cause) {
      if (!isFailing) onFault(cause)
      isFailing = true
    }
  }
  const start = () => {
    timer = undefined
    writing = writeWaiting().finally(() => {
      writing = undefined
      if (waiting.length > 0 && !isClosed) startSoon()
    })
  }
  /** The timer keeps no process alive: a process that has nothing else to do has closed its log. */
  const startSoon = () => {
    timer ??= setTimeout(start, WRITE_DELAY_MS).unref()
  }
  start()
  return {
    write: (line) => {
      if (isClosed) return
      if (waitingChars + line.length > WAITING_CHARS_MAX) {
        dropped += 1
        return
      }
      waiting.push(line)
      waitingChars += line.length
      if (writing === undefined) startSoon()
    },
    close: async () => {
      if (isClosed) return
      isClosed = true
      clearTimeout(timer)
      await writing
      await writeWaiting()
      await file.close()
    },
  }
}

type OpenFile = { readonly handle: FileHandle; bytes: number }

/**
 * Appends to a file and rotates it. Only one append may run at a time. After a failure the file is
 * opened again.
 */
function openRotatedFile({ current, earlier }: TwinLogFiles, bytesMax: number) {
  let openFile: OpenFile | undefined
  const close = async () => {
    const { handle } = openFile ?? {}
    openFile = undefined
    await handle?.close()
  }
  const appendTo = async (at: OpenFile, lines: readonly string[]) => {
    if (lines.length === 0) return
    const bytes = Buffer.from(lines.join(''))
    await at.handle.appendFile(bytes)
    at.bytes += bytes.length
  }
  const append = async (lines: readonly string[]) => {
    openFile ??= await openAt(current)
    let part: string[] = []
    let partBytes = 0
    for (const line of lines) {
      const bytes = Buffer.byteLength(line)
      const before = openFile.bytes + partBytes
      if (before > 0 && before + bytes > bytesMax) {
        await appendTo(openFile, part)
        part = []
        partBytes = 0
        await close()
        await rename(current, earlier)
        openFile = await openAt(current)
      }
      part.push(line)
      partBytes += bytes
    }
    await appendTo(openFile, part)
  }
  return {
    append: async (lines: readonly string[]) => {
      try {
        await append(lines)
      } catch (cause) {
        await close().catch(() => {})
        throw cause
      }
    },
    close,
  }
}

async function openAt(path: string): Promise<OpenFile> {
  const handle = await open(path, APPEND_FLAGS, OWNER_ONLY)
  try {
    await handle.chmod(OWNER_ONLY)
    const { size } = await handle.stat()
    if (size === 0 || (await readLastByte(handle, size)) === LINE_FEED)
      return { handle, bytes: size }
    await handle.appendFile('\n')
    return { handle, bytes: size + 1 }
  } catch (cause) {
    await handle.close()
    throw cause
  }
}

async function readLastByte(handle: FileHandle, size: number): Promise<number | undefined> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0]
}
