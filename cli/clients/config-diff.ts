/**
 * Shows what changes in a configuration file, without its secrets. The file has other servers with
 * tokens of their own, at any depth. So a value is shown only if this command writes that value
 * openly.
 */

/** Unchanged lines that are printed before and after a change. */
const CONTEXT_LINES = 2
const MASK = '…'

/**
 * Returns the difference as one hunk, because a change is in one place. `shown` holds the values
 * that are no secrets.
 */
export function formatDiff(before: string, after: string, shown: ReadonlySet<string>): string {
  const [old, next] = [splitLines(before), splitLines(after)]
  const start = old.findIndex((line, index) => line !== next[index])
  const same = start === -1 ? old.length : start
  let end = 0
  while (end < Math.min(old.length, next.length) - same && old.at(-1 - end) === next.at(-1 - end))
    end += 1
  const context = Math.max(0, same - CONTEXT_LINES)
  const markLines = (mark: string, lines: readonly string[]) =>
    lines.map((line) => `${mark} ${maskLine(line, shown)}\n`)
  return [
    ...markLines(' ', old.slice(context, same)),
    ...markLines('-', old.slice(same, old.length - end)),
    ...markLines('+', next.slice(same, next.length - end)),
    ...markLines(' ', next.slice(next.length - end, next.length - end + CONTEXT_LINES)),
  ].join('')
}

/** Collects the values in `value` at any depth, as texts. The names of members are left out. */
export function collectTexts(value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(collectTexts)
  return [String(value)]
}

function splitLines(text: string): readonly string[] {
  return text === '' ? [] : text.trimEnd().split('\n')
}

/**
 * Matches `"name": value` of JSON, `name = value` of TOML and `name: value` of YAML; a YAML list
 * item may start with it.
 */
const NAMED =
  /^(\s*(?:-\s+)?(?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w.$@/-]+)\s*(?::(?=\s|["'[{\d]|$)|=(?!=*\s*$))\s*)(.*)$/
/** Matches brackets alone, or the YAML sign that starts a text of several lines. */
const STRUCTURE = /^\s*(?:[[\]{},\s]*|[|>][+-]?)\s*$/
/** Matches `[servers.name]` of TOML. */
const TABLE = /^\s*\[{1,2}[\w."'-]+\]{1,2}\s*$/

/**
 * Masks the value in a line. A comment is masked as a whole, because it may hold a token that was
 * commented out.
 */
function maskLine(line: string, shown: ReadonlySet<string>): string {
  const [, name, value] = NAMED.exec(line) ?? []
  if (name !== undefined && value !== undefined) return name + maskValue(value, shown)
  if (STRUCTURE.test(line) || TABLE.test(line)) return line
  const margin = /^\s*(?:-\s)?/.exec(line)?.[0] ?? ''
  return margin + maskValue(line.slice(margin.length), shown)
}

function maskValue(text: string, shown: ReadonlySet<string>): string {
  if (STRUCTURE.test(text)) return text
  const [, value = '', end = ''] = /^(.*?)(\s*,?\s*)$/s.exec(text) ?? []
  return collectTexts(parseValue(value)).every((one) => shown.has(one))
    ? text
    : MASK + end.trimEnd()
}

/** Parses the value as JSON. A text without quotes, as YAML has it, is its own value. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text.replace(/^'(.*)'$/, '$1')
  }
}
