/** Command lines that do what a page does. */

/** A program and its words. The shell quotes them: an address may come from a stranger. */
export type Command = readonly [program: string, ...words: string[]]

/** Joins words and options to a command of `skillgate`. Options without a value are left out. */
export function toCommand(
  words: readonly (string | undefined)[],
  options: { readonly [name: string]: string | undefined } = {},
): Command {
  const given = Object.entries(options).flatMap(([name, value = '']) =>
    value === '' ? [] : [`--${name}`, value],
  )
  return ['skillgate', ...words.map((word = '') => word), ...given]
}
