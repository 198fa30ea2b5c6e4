/**
 * Wraps a paragraph of Markdown at the width of the pages. A list item is continued under its text.
 */

const WIDTH = 100

/**
 * Returns the lines. Code and links stay on one line. A word that Markdown would read as a mark
 * never begins a line.
 */
export function wrapped(paragraph: string): string {
  const indent = paragraph.startsWith('- ') ? '  ' : ''
  const words = paragraph.match(/(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|[^\s`[]|[`[])+/g) ?? []
  const lines: string[] = []
  for (const word of words) {
    const line = lines.at(-1)
    const isMark = /^(?:[-+*#>|=]|\d+[.)]$)/.test(word)
    if (line === undefined) lines.push(word)
    else if (isMark || line.length + 1 + word.length <= WIDTH) lines.push(`${lines.pop()} ${word}`)
    else lines.push(`${indent}${word}`)
  }
  return lines.join('\n')
}
