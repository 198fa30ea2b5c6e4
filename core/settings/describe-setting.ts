/** The sentence about a wrong value of a setting. */

const SHOWN_CHARS_MAX = 80

/** The sentence about a wrong value, with up to 80 characters of a text. */
export function describeWrongValue(name: string, given: unknown, rule: string): string {
  const shown = typeof given === 'string' ? given.slice(0, SHOWN_CHARS_MAX) : given
  return `${name}: is ${JSON.stringify(shown)}; give ${rule}`
}

/** The choices as words that complete "give …". */
export function describeChoices(choices: readonly (string | number)[]): string {
  return choices.length <= 2 ? choices.join(' or ') : `one of ${choices.join(', ')}`
}
