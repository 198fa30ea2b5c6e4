/**
 * Writes all output of the command line. On a terminal, characters in foreign text that control the
 * terminal or hide text are shown as escapes; a pipe or a file gets the text unchanged. The control
 * sequences of the command line itself have names.
 */
import { escapeHiddenJson, escapeHiddenText } from '../../adapters/formats/visible-text.ts'
import type { ControlName, Output } from './shell.ts'

const CONTROLS: { readonly [name in ControlName]: string } = {
  'clear-line': '\r\u001b[K',
  green: '\u001b[32m',
  red: '\u001b[31m',
  'usual-colour': '\u001b[0m',
}

/** Wraps a stream. `columns` is used only on a terminal. */
export function toOutput(stream: {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}): Output {
  const isTTY = stream.isTTY === true
  return {
    write: (text) => void stream.write(isTTY ? escapeHiddenText(text) : text),
    writeJson: (text) => void stream.write(isTTY ? escapeHiddenJson(text) : text),
    control: (name) => void stream.write(CONTROLS[name]),
    isTTY,
    columns: isTTY ? stream.columns : undefined,
  }
}
