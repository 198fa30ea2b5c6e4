/**
 * Asks a person to choose from a long list on the terminal, with a search. Loads the library of
 * prompts, which only this question needs.
 */
import { escapeHiddenText } from '../../core/json/visible-text.ts'
import type { Choice } from './shell.ts'
import { toOneLine } from './table.ts'

/** Rows of the list that are on the screen at once. */
const ROWS_SHOWN = 14

/** Returns the chosen values; undefined if the person gives up. */
export async function chooseOnTerminal(
  { describe, options }: Choice,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const { autocompleteMultiselect, isCancel } = await import('@clack/prompts')
  const shown = options.map(({ hint, label, value }) => ({
    value,
    label: toShown(label),
    hint: toShown(hint),
  }))
  // The prompt draws itself anew with each key, and reads the message each time.
  let chosen: () => readonly string[] = () => []
  const answer = await autocompleteMultiselect<string>({
    get message() {
      return describe(chosen())
    },
    options() {
      chosen = () => this.selectedValues
      return shown
    },
    maxItems: ROWS_SHOWN,
    required: true,
    signal,
    output: process.stderr,
    filter: (words, { hint = '', label = '' }) => isFound(words, `${label} ${hint}`),
  })
  return isCancel(answer) ? undefined : answer
}

function toShown(text: string): string {
  return escapeHiddenText(toOneLine(text))
}

/** Each word of the search is somewhere in the row. */
function isFound(words: string, row: string): boolean {
  const text = row.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
