/**
 * Finds the titles of tests and groups in a test file. It relies on the formatter's indentation: a
 * test belongs to the groups above it that are indented less. It does not find titles in variables.
 */
export type Title = {
  readonly kind: 'describe' | 'test'
  readonly text: string
  /** Titles of the enclosing groups, outermost first. */
  readonly groups: readonly string[]
  /** Index in the source at which the match of the title begins. */
  readonly offset: number
}

const TITLE = /(?:'((?:[^'\\\n]|\\.)+)'|"((?:[^"\\\n]|\\.)+)"|`((?:[^`\\]|\\.)+)`)/.source
/** A title in a call at the start of a line, or after the rows of a table or a condition. */
const TITLED = new RegExp(
  `^ *(?:(?:test|describe)(?:\\.\\w+)*|(?:[\\])}]|(?:test|describe)\\.).*\\))\\(\\s*${TITLE},`,
  'gm',
)
const CALLS = /^( *)(test|describe)\b/gm

/** Returns the titles in the order of the source. */
export function findTitles(source: string): readonly Title[] {
  const open: { readonly indent: number; readonly text: string }[] = []
  const calls = [...source.matchAll(CALLS)]
  let call = 0
  return [...source.matchAll(TITLED)].map((match) => {
    const text = match[1] ?? match[2] ?? match[3] ?? ''
    const until = match.index + match[0].length
    while ((calls[call + 1]?.index ?? until) < until) call += 1
    const indent = calls[call]?.[1]?.length ?? 0
    const kind = calls[call]?.[2] === 'describe' ? 'describe' : 'test'
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop()
    const groups = open.map((group) => group.text)
    if (kind === 'describe') open.push({ indent, text })
    return { kind, text, groups, offset: match.index }
  })
}
