/**
 * Adds a server to the text of a configuration file, or removes it, and leaves everything else as
 * it is: comments and order too. Refuses an invalid file, and an edit that would change anything
 * but the server.
 */
import { isDeepStrictEqual } from 'node:util'
import { applyEdits, modify, type ParseError, parse as parseJsonc } from 'jsonc-parser'
import { parse as parseToml, stringify as tomlText } from 'smol-toml'
import { parseDocument } from 'yaml'
import type { ConfigFormat } from '../../core/clients/forms.ts'
import { err, ok, type Result } from '../../core/errors.ts'

export type Edit = {
  /** The names of the objects that lead from the root to the value. */
  readonly path: readonly string[]
  /** The new value; undefined removes the value. */
  readonly value: object | undefined
}

/** Returns the edited text. The error is a clause that follows the file's name. */
export function editConfig(format: ConfigFormat, text: string, edit: Edit): Result<string, string> {
  const before = parseConfig(format, text)
  if (!before.ok) return before
  const isBlocked = edit.path
    .slice(0, -1)
    .some((_, index) => isNoObject(readValueAt(before.value, edit.path.slice(0, index + 1))))
  if (isBlocked)
    return err(`has something else than an object at ${edit.path.slice(0, -1).join('.')}`)
  if (isDeepStrictEqual(readValueAt(before.value, edit.path), edit.value)) return ok(text)
  const next = EDITORS[format](text, edit)
  const after = parseConfig(format, next)
  if (!after.ok) return err('cannot be edited without breaking it; edit it by hand')
  const omitServer = (value: unknown) => omitPath(value, edit.path)
  if (isDeepStrictEqual(omitServer(before.value), omitServer(after.value))) return ok(next)
  return err('would change beside the server; edit it by hand')
}

/** Parses the file's text. An empty text is an empty object. */
export function parseConfig(format: ConfigFormat, text: string): Result<unknown, string> {
  if (text.trim() === '') return ok({})
  try {
    const value = READERS[format](text)
    if (value === null) return ok({})
    return isNoObject(value) ? err('is not an object') : ok(value)
  } catch (cause) {
    const line = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause)
    return err(`is not valid ${format.toUpperCase()}: ${line}`)
  }
}

const READERS: { readonly [format in ConfigFormat]: (text: string) => unknown } = {
  json: (text) => {
    const errors: ParseError[] = []
    // Code editors accept comments and trailing commas in JSON.
    const value = parseJsonc(text, errors, { allowTrailingComma: true })
    const [first] = errors
    if (first === undefined) return value
    throw new Error(`line ${text.slice(0, first.offset).split('\n').length}`)
  },
  toml: (text) => parseToml(text),
  yaml: (text) => {
    const document = parseDocument(text)
    const [first] = document.errors
    if (first !== undefined) throw first
    return document.toJS()
  },
}

const EDITORS: { readonly [format in ConfigFormat]: (text: string, edit: Edit) => string } = {
  json: (text, { path, value }) => {
    const whole = text.trim() === '' ? '{}\n' : text
    const tab = /\n(\t| +)"/.exec(whole)?.[1] ?? '  '
    const formattingOptions = {
      insertSpaces: tab !== '\t',
      tabSize: tab.length,
      eol: detectLineEnd(whole),
    }
    return applyEdits(whole, modify(whole, [...path], value, { formattingOptions }))
  },
  toml: editToml,
  yaml: (text, { path, value }) => {
    const document = parseDocument(text)
    if (value === undefined) document.deleteIn(path)
    else document.setIn(path, document.createNode(value))
    return document.toString({ lineWidth: 0 })
  },
}

/** TOML parsers lose comments, so this function replaces one table in the text itself. */
function editToml(text: string, { path, value }: Edit): string {
  const header = (line: string) =>
    /^\s*\[+\s*([^\]]+?)\s*\]+/.exec(line)?.[1]?.replaceAll(/["'\s]/g, '')
  const name = path.join('.')
  let own = false
  const otherLines = text.split('\n').filter((line) => {
    const table = header(line)
    if (table !== undefined) own = table === name || table.startsWith(`${name}.`)
    return !own
  })
  const omitServer = otherLines.join('\n').trimEnd()
  if (value === undefined) return omitServer === '' ? '' : `${omitServer}\n`
  const table = tomlText({ [path[0] ?? '']: { [path[1] ?? '']: value } })
  return `${omitServer === '' ? '' : `${omitServer}\n\n`}${table.trimEnd()}\n`
}

function detectLineEnd(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

export function readValueAt(value: unknown, path: readonly string[]): unknown {
  let at = value
  for (const name of path) {
    at = typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined
  }
  return at
}

/** Tells whether the value exists and is no object. */
function isNoObject(value: unknown): boolean {
  return (
    value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value))
  )
}

/** Returns a copy without the value at `path`, and without objects that became empty. */
function omitPath(value: unknown, path: readonly string[]): unknown {
  const [name, ...omitServer] = path
  if (name === undefined || typeof value !== 'object' || value === null) return undefined
  const { [name]: inner, ...others } = value as { [name: string]: unknown }
  const remaining = omitServer.length === 0 ? undefined : omitPath(inner, omitServer)
  const isEmpty =
    typeof remaining === 'object' && remaining !== null && Object.keys(remaining).length === 0
  return remaining === undefined || isEmpty ? others : { ...others, [name]: remaining }
}
