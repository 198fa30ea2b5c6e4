/** Command lines that do what a page does. */
import { toShown } from './text.tsx'

/**
 * Joins words and options to a command line of `skillgate`. A word that a shell would read in
 * another way is quoted: an address, and so its filters, may come from a stranger.
 */
export function toCommand(
  words: readonly (string | undefined)[],
  options: { readonly [name: string]: string | undefined } = {},
): string {
  const given = Object.entries(options).flatMap(([name, value = '']) =>
    value === '' ? [] : [`--${name}`, value],
  )
  return ['skillgate', ...words, ...given].map(toShellWord).join(' ')
}

function toShellWord(word = ''): string {
  const shown = toShown(word)
  return /^[\w.:/@-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`
}
