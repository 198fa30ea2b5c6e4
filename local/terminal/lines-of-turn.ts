/**
 * Prints all lines of one turn of the event loop in one write, because a write costs more than
 * formatting a line, and calls that end together print together. Lines that still wait when the
 * process ends by itself are written then.
 */
import { toShownText } from './style.ts'
import type { Print } from './twin-log.ts'

/** Returns a function that prints one line. `show` makes the lines safe for the stream. */
export function createTurnPrinter(
  stream: { write(text: string): unknown; readonly isTTY?: boolean | undefined },
  show: typeof toShownText = toShownText,
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
