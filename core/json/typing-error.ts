/**
 * True if two words differ by one typing error: a letter added, missing or replaced, or two letters
 * swapped. False for equal words.
 */
export function isOneEdit(a: string, b: string): boolean {
  if (a.length > b.length) return isOneEdit(b, a)
  if (b.length - a.length > 1) return false
  let at = 0
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1
  if (a.length < b.length) return isSameFrom(a, at, b, at + 1)
  if (at === a.length) return false
  if (isSameFrom(a, at + 1, b, at + 1)) return true
  const isSwapped =
    a.charCodeAt(at) === b.charCodeAt(at + 1) && a.charCodeAt(at + 1) === b.charCodeAt(at)
  return isSwapped && isSameFrom(a, at + 2, b, at + 2)
}

/** Creates no strings, because this comparison runs for every word of an index. */
function isSameFrom(a: string, fromA: number, b: string, fromB: number): boolean {
  if (a.length - fromA !== b.length - fromB) return false
  for (let at = 0; fromA + at < a.length; at += 1) {
    if (a.charCodeAt(fromA + at) !== b.charCodeAt(fromB + at)) return false
  }
  return true
}
