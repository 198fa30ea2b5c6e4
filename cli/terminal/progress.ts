/**
 * Shows what a command is doing, in one line on stderr that is removed again. Prints nothing if
 * stderr is no terminal.
 */
import type { Shell } from './shell.ts'
import { toOneLine } from './table.ts'

const TICK_MS = 1_000

export function showProgress({ err }: Shell, text: string): void {
  if (!err.isTTY) return
  err.control('clear-line')
  err.write(toOneLine(text))
}

export function endProgress({ err }: Shell): void {
  if (err.isTTY) err.control('clear-line')
}

/** Shows `text` with the seconds since the start until the work ends. */
export async function withProgress<T>(shell: Shell, text: string, work: Promise<T>): Promise<T> {
  const startedMs = shell.nowMs()
  const show = () => {
    const sec = Math.round((shell.nowMs() - startedMs) / 1_000)
    showProgress(shell, sec === 0 ? `${text} …` : `${text} … ${sec} s`)
  }
  show()
  const timer = setInterval(show, TICK_MS)
  try {
    return await work
  } finally {
    clearInterval(timer)
    endProgress(shell)
  }
}
