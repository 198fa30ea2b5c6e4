/**
 * Titles of tests and groups in a source, as the formatter lays them out: a test is in the groups that begin further
 * left above it. Titles in variables are not found.
 */
export type Title = {
  readonly kind: 'describe' | 'test'
  readonly text: string
  /** Titles of the groups around it, outermost first. */
  readonly groups: readonly string[]
  /** Where its line begins in the source. */
  readonly offset: number
}

const TITLE = /(?:'((?:[^'\\\n]|\\.)+)'|"((?:[^"\\\n]|\\.)+)"|`((?:[^`\\]|\\.)+)`)/.source
/** At the start of a line, where the formatter puts them; or behind the rows of a table, or a condition. */
const TITLED = new RegExp(
  `^ *(?:(?:test|describe)(?:\\.\\w+)*|(?:[\\])}]|(?:test|describe)\\.).*\\))\\(\\s*${TITLE},`,
  'gm',
)
const CALLS = /^( *)(test|describe)\b/gm

export function titlesOf(source: string): readonly Title[] {
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
