/**
 * On which line a text stops being JSON. V8 names the place of some errors alone, so beginnings of the text
 * are parsed: one that merely ends too early is sound so far. Repeats nothing of the text.
 */

/** Counts from 1; 0 for JSON, the last line for a text that ends too early. */
export function brokenLine(text: string): number {
  if (stateOf(text) === 'whole') return 0
  const lines = text.split('\n')
  // Every longer beginning of a broken one is broken, too, so the first is found by halving.
  let sound = 0
  let broken = lines.length
  while (broken - sound > 1) {
    const middle = Math.floor((sound + broken) / 2)
    const start = `${lines.slice(0, middle).join('\n')}\n`
    if (stateOf(start) === 'broken') broken = middle
    else sound = middle
  }
  return broken
}

function stateOf(text: string): 'whole' | 'too-short' | 'broken' {
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
