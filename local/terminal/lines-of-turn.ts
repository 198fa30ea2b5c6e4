/**
 * Prints lines: those of one turn of the event loop in one write, since a write costs more than making a line, and
 * calls that end together print together. Lines that wait when the process ends by itself are written then.
 */
import { shownOn } from './style.ts'
import type { Print } from './twin-log.ts'

/** `show` makes of the lines what the stream may get. */
export function linesOfTurn(
  stream: { write(text: string): unknown; readonly isTTY?: boolean | undefined },
  show: typeof shownOn = shownOn,
): Print {
  let waiting = ''
  const write = () => {
    const text = waiting
    waiting = ''
    if (text !== '') stream.write(show(stream, text))
  }
  process.once('exit', write)
  return (line) => {
    if (waiting === '') setImmediate(write)
    waiting += `${line}\n`
  }
}
