/**
 * Writes all output of the command line. On a terminal, characters in foreign text that control the
 * terminal or hide text are shown as escapes; a pipe or a file gets the text unchanged. The control
 * sequences of the command line itself have names.
 */
import { escapeHiddenJson, escapeHiddenText } from '../../core/json/visible-text.ts'
import type { ControlName, Output, Shell } from './shell.ts'

const CONTROLS: { readonly [name in ControlName]: string } = {
  'clear-line': '\r\u001b[K',
  green: '\u001b[32m',
  yellow: '\u001b[33m',
  red: '\u001b[31m',
  'usual-colour': '\u001b[0m',
}

/**
 * Wraps a stream. `columns` is used only on a terminal. `env` may say that no colours are wanted
 * (NO_COLOR, https://no-color.org), or that the terminal has none.
 */
export function toOutput(
  stream: {
    write(text: string): unknown
    readonly isTTY?: boolean | undefined
    readonly columns?: number | undefined
  },
  env: Shell['env'] = {},
): Output {
  const isTTY = stream.isTTY === true
  return {
    // A line of CSV ends with CR LF, of which a terminal needs the LF alone.
    write: (text) =>
      void stream.write(isTTY ? escapeHiddenText(text.replaceAll('\r\n', '\n')) : text),
    writeJson: (text) => void stream.write(isTTY ? escapeHiddenJson(text) : text),
    control: (name) => void stream.write(CONTROLS[name]),
    isTTY,
    hasColours: isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
    hasRelativeTimes: isTTY,
    columns: isTTY ? stream.columns : undefined,
  }
}
