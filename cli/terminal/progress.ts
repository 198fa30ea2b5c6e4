/** What a command is doing, on stderr of a terminal only, in one line that goes away again. */
import type { Shell } from './shell.ts'
import { plain } from './table.ts'

const TICK_MS = 1_000

export function showProgress({ err }: Shell, text: string): void {
  if (!err.isTTY) return
  err.control('clear-line')
  err.write(plain(text))
}

export function endProgress({ err }: Shell): void {
  if (err.isTTY) err.control('clear-line')
}

/** Shows `text` with the seconds that the work has taken, and takes it away at its end. */
export async function during<T>(shell: Shell, text: string, work: Promise<T>): Promise<T> {
  const startedMs = shell.nowMs()
  const tell = () => {
    const sec = Math.round((shell.nowMs() - startedMs) / 1_000)
    showProgress(shell, sec === 0 ? `${text} …` : `${text} … ${sec} s`)
  }
  tell()
  const timer = setInterval(tell, TICK_MS)
  try {
    return await work
  } finally {
    clearInterval(timer)
    endProgress(shell)
  }
}
