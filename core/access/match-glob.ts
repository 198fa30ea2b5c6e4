/**
 * Compares a name with a glob. `*` stands for any characters, also none; every other character stands
 * for itself. Each piece between two stars is searched once, at the first place after the piece before
 * it: an earlier place leaves at least as much of the name to the pieces after it. So nothing is tried
 * twice, and the steps are bounded by the product of the two lengths.
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
