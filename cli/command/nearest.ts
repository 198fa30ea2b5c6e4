/** The word of a list that a person probably meant. */

/** More changed letters than this make another word. */
const CHANGES_MAX = 2

export function nearest(typed: string, words: readonly string[]): string | undefined {
  const judged = words
    .map((word) => ({ word, changes: distance(typed.toLowerCase(), word) }))
    .filter(({ changes, word }) => changes <= CHANGES_MAX && changes < word.length)
  judged.sort((a, b) => a.changes - b.changes)
  return judged[0]?.word ?? words.find((word) => typed.length > 2 && word.startsWith(typed))
}

/** Levenshtein's. */
function distance(a: string, b: string): number {
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
