/**
 * Finds titles of tests that are no sentences. A failing line shows the groups and the title of a
 * test. So a title in a group continues the title of the group, and one outside names its subject.
 * The check is exact and small: titles that repeat their group, titles of fewer than three words,
 * and first words that can only continue another text.
 */
import { type CitationError, findLine, type Text } from './text.ts'
import { findTitles, type Title } from './titles.ts'

/**
 * First words of a sentence whose subject is elsewhere, and conditions before a missing subject.
 */
const TEST_FRAGMENT =
  /^(?:and|are|at|but|by|can|cannot|do|does|had|has|have|if|is|it|its|may|must|nor|not|of|or|that|they|to|was|were|what|which|who|whoever|whose|will|with|without)\b/i
/** First words of a condition or a question; the title of a group names a thing. */
const GROUP_FRAGMENT =
  /^(?:and|are|at|but|how|if|is|it|not|that|unless|until|what|when|where|whether|which|while|who|whoever|whose|why)\b/i
const WORDS_MIN = 3

export function findTitleFragments({ all, path }: Text): readonly CitationError[] {
  if (!/^test\/.*\.ts$/.test(path)) return []
  return findTitles(all).flatMap((title) => {
    const problem = findProblem(title)
    const line = findLine(all, title.offset)
    return problem === undefined ? [] : [{ path, line, problem: `“${title.text}” ${problem}` }]
  })
}

function findProblem({ groups, kind, text }: Title): string | undefined {
  if (kind === 'describe')
    return GROUP_FRAGMENT.test(text) ? 'names no subject of tests: give a noun' : undefined
  if (groups.some((group) => !group.includes('%') && text.startsWith(`${group} `)))
    return 'repeats its group: leave the group out'
  if (groups.length > 0) return undefined
  if (TEST_FRAGMENT.test(text)) return 'is not a sentence: begin with its subject'
  if (text.trim().split(/\s+/).length >= WORDS_MIN) return undefined
  return 'is not a sentence: name a subject and what it does'
}
