/** Finds the word of a list that a person probably meant. */

/** A word that differs in more letters than this is another word. */
const CHANGES_MAX = 2

/**
 * Returns the word with the fewest changed letters, else a word that begins with `typed`; undefined
 * if there is none.
 */
export function findNearest(typed: string, words: readonly string[]): string | undefined {
  const similar = words
    .map((word) => ({ word, changes: countChanges(typed.toLowerCase(), word.toLowerCase()) }))
    .filter(({ changes, word }) => changes <= CHANGES_MAX && changes < word.length)
  similar.sort((a, b) => a.changes - b.changes)
  return similar[0]?.word ?? words.find((word) => typed.length > 2 && word.startsWith(typed))
}

/** Returns the Levenshtein distance of two words. */
function countChanges(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j += 1) {
      const replaced = (row[j] ?? 0) + (letter === b[j] ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
