/**
 * The one writer of the command line. On a terminal, characters of others that control it or hide are shown as
 * escapes; a pipe and a file get the text unchanged. Sequences of our own have names.
 */
import { visibleJson, visibleText } from '../../adapters/formats/visible-text.ts'
import type { ControlName, Output } from './shell.ts'

const CONTROLS: { readonly [name in ControlName]: string } = {
  'clear-line': '\r\u001b[K',
  red: '\u001b[31m',
  'usual-colour': '\u001b[0m',
}

/** `columns` counts on a terminal alone. */
export function outputOf(stream: {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}): Output {
  const isTTY = stream.isTTY === true
  return {
    write: (text) => void stream.write(isTTY ? visibleText(text) : text),
    writeJson: (text) => void stream.write(isTTY ? visibleJson(text) : text),
    control: (name) => void stream.write(CONTROLS[name]),
    isTTY,
    columns: isTTY ? stream.columns : undefined,
  }
}
