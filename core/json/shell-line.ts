/** Commands that a person copies into sh. */

/** Returns the words as one line: what is pasted means the same words. */
export function writeShellLine(words: readonly string[]): string {
  return words.map(quoteForShell).join(' ')
}

/** Quotes a word only if sh would change it. */
export function quoteForShell(word: string): string {
  return /^[\w%+,./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
