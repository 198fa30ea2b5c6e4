/**
 * Finds the line on which a text stops being JSON. V8 gives the position of only some errors, so
 * this file parses beginnings of the text: a beginning without another error than its end is valid
 * so far.
 */

/**
 * The number of the line, from 1; 0 for valid JSON, the last line for a text that ends too early.
 */
export function findBrokenLine(text: string): number {
  if (readState(text) === 'whole') return 0
  const lines = text.split('\n')
  // A longer beginning of a broken one is broken too, so a binary search finds the first broken
  // one.
  let valid = 0
  let broken = lines.length
  while (broken - valid > 1) {
    const middle = Math.floor((valid + broken) / 2)
    const start = `${lines.slice(0, middle).join('\n')}\n`
    if (readState(start) === 'broken') broken = middle
    else valid = middle
  }
  return broken
}

function readState(text: string): 'whole' | 'too-short' | 'broken' {
  try {
    JSON.parse(text)
    return 'whole'
  } catch (cause) {
    const why = String(cause)
    const position = Number(/ at position (\d+)/.exec(why)?.[1] ?? -1)
    const ended = why.includes('Unexpected end of JSON') || position >= text.length
    return ended ? 'too-short' : 'broken'
  }
}
