/**
 * True if the name matches the glob. `*` matches any number of characters, including none. Every
 * other character matches only itself.
 *
 * The search takes the first match of each piece between two stars and never goes back: an earlier
 * match leaves more of the name for the pieces after it. So the number of steps is at most the
 * product of the two lengths.
 */
export function matchesGlob(glob: string, name: string): boolean {
  const [head = '', ...rest] = glob.split('*')
  const tail = rest.pop()
  if (tail === undefined) return name === glob
  if (!name.startsWith(head) || !name.endsWith(tail)) return false
  const end = name.length - tail.length
  let at = head.length
  for (const piece of rest) {
    const found = name.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return at <= end
}
