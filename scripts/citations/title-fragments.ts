/**
 * Finds titles of tests that are no sentences. A failing line is read without the lines above it,
 * so a title names its subject first. The check is exact and small: titles of fewer than three
 * words, and first words that can only continue another text. Titles in variables are not checked.
 */
import { type Fault, lineAt, type Text } from './text.ts'

/**
 * First words of a sentence whose subject is elsewhere, and conditions before a missing subject.
 */
const TEST_FRAGMENT =
  /^(?:and|are|at|but|by|can|cannot|do|does|had|has|have|if|is|it|its|may|must|nor|not|of|or|that|they|to|was|were|what|which|who|whoever|whose|will|with|without)\b/i
/** First words of a condition or a question; the title of a group names a thing. */
const GROUP_FRAGMENT =
  /^(?:and|are|at|but|how|if|is|it|not|that|unless|until|what|when|where|whether|which|while|who|whoever|whose|why)\b/i
const WORDS_MIN = 3

const TITLE = /(?:'((?:[^'\\\n]|\\.)+)'|"((?:[^"\\\n]|\\.)+)"|`((?:[^`\\]|\\.)+)`)/.source
/**
 * Matches a title at the start of a line, where the formatter puts it; or after the rows of a
 * table, or a condition.
 */
const TITLED = new RegExp(
  `^ *(?:(?:test|it|describe)(?:\\.\\w+)*|(?:[\\])}]|(?:test|it|describe)\\.).*\\))\\(\\s*${TITLE},`,
  'gm',
)
const CALLS = /^ *(test|it|describe)\b/gm

export function titleFragments({ all, path }: Text): readonly Fault[] {
  if (!/^test\/.*\.ts$/.test(path)) return []
  return [...all.matchAll(TITLED)].flatMap((match) => {
    const title = match[1] ?? match[2] ?? match[3] ?? ''
    const until = all.slice(0, match.index + match[0].length)
    const problem = findProblem([...until.matchAll(CALLS)].at(-1)?.[1], title)
    const line = lineAt(all, match.index)
    return problem === undefined ? [] : [{ path, line, problem: `“${title}” ${problem}` }]
  })
}

function findProblem(kind: string | undefined, title: string): string | undefined {
  if (kind === 'describe')
    return GROUP_FRAGMENT.test(title) ? 'names no subject of tests: give a noun' : undefined
  if (TEST_FRAGMENT.test(title)) return 'is not a sentence: begin with its subject'
  if (title.trim().split(/\s+/).length >= WORDS_MIN) return undefined
  return 'is not a sentence: name a subject and what it does'
}
