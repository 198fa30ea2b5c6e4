/**
 * Shows what changes in a configuration file, without its secrets. The file has other servers with tokens of their
 * own, in any place of it, so a value is shown only if it is one of those that this command writes openly.
 */

/** Lines around a change that show where it is. */
const CONTEXT_LINES = 2
const MASK = '…'

/** One change in one place is one hunk. `shown` are the texts that are no secrets. */
export function diffText(before: string, after: string, shown: ReadonlySet<string>): string {
  const [old, next] = [linesOf(before), linesOf(after)]
  const start = old.findIndex((line, index) => line !== next[index])
  const same = start === -1 ? old.length : start
  let end = 0
  while (end < Math.min(old.length, next.length) - same && old.at(-1 - end) === next.at(-1 - end))
    end += 1
  const context = Math.max(0, same - CONTEXT_LINES)
  const marked = (mark: string, lines: readonly string[]) =>
    lines.map((line) => `${mark} ${masked(line, shown)}\n`)
  return [
    ...marked(' ', old.slice(context, same)),
    ...marked('-', old.slice(same, old.length - end)),
    ...marked('+', next.slice(same, next.length - end)),
    ...marked(' ', next.slice(next.length - end, next.length - end + CONTEXT_LINES)),
  ].join('')
}

/** Texts in a value, at any depth, except the names of its members. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn)
  return [String(value)]
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.trimEnd().split('\n')
}

/** `"name": value` of JSON, `name = value` of TOML, `name: value` of YAML; an item of YAML may begin with it. */
const NAMED =
  /^(\s*(?:-\s+)?(?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w.$@/-]+)\s*(?::(?=\s|["'[{\d]|$)|=(?!=*\s*$))\s*)(.*)$/
/** Brackets, or the sign of a text of several lines in YAML. */
const STRUCTURE = /^\s*(?:[[\]{},\s]*|[|>][+-]?)\s*$/
/** `[servers.name]` of TOML. */
const TABLE = /^\s*\[{1,2}[\w."'-]+\]{1,2}\s*$/

/** Comments are masked whole: a token that was commented out is a token. */
function masked(line: string, shown: ReadonlySet<string>): string {
  const [, name, value] = NAMED.exec(line) ?? []
  if (name !== undefined && value !== undefined) return name + maskedValue(value, shown)
  if (STRUCTURE.test(line) || TABLE.test(line)) return line
  const margin = /^\s*(?:-\s)?/.exec(line)?.[0] ?? ''
  return margin + maskedValue(line.slice(margin.length), shown)
}

function maskedValue(text: string, shown: ReadonlySet<string>): string {
  if (STRUCTURE.test(text)) return text
  const [, value = '', end = ''] = /^(.*?)(\s*,?\s*)$/s.exec(text) ?? []
  return textsIn(valueIn(value)).every((one) => shown.has(one)) ? text : MASK + end.trimEnd()
}

/** A text without quotes, as YAML has it, is its own value. */
function valueIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text.replace(/^'(.*)'$/, '$1')
  }
}
