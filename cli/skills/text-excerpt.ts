/** Shows a place of a text: the line before it, its line, and a caret below it. */
import type { TextPlace } from '../../core/json/json-fault.ts'

/** Characters of a line on each side of the place; a longer line is cut there. */
const SIDE_CHARS = 36

/** Returns lines that are printed as they are. */
export function excerptText(text: string, { column, line }: TextPlace): readonly string[] {
  const lines = text.replaceAll('\t', ' ').split(/\r?\n/)
  const start = Math.max(0, column - 1 - SIDE_CHARS)
  const width = String(line).length
  const show = (number: number) =>
    `${String(number).padStart(width)} | ${(lines[number - 1] ?? '').slice(start, start + 2 * SIDE_CHARS)}`
  const before = line > 1 && start === 0 ? [show(line - 1)] : []
  const caret = `${' '.repeat(width)} | ${' '.repeat(column - 1 - start)}^`
  return [...before, show(line).trimEnd(), caret]
}
