/**
 * Finds titles of tests that are no sentences: a failing line is read without the lines above it, so a title
 * names its subject first. The check is exact and small: titles of fewer than three words, and first
 * words that can only continue another text. Titles in variables are not judged.
 */
import { type Fault, lineAt, type Text } from './text.ts'

/** Ends of sentences whose subject stands elsewhere, and conditions before a missing subject. */
const TEST_FRAGMENT =
  /^(?:and|are|at|but|by|can|cannot|do|does|had|has|have|if|is|it|its|may|must|nor|not|of|or|that|they|to|was|were|what|which|who|whoever|whose|will|with|without)\b/i
/** A group names a thing; a condition or a question is none. */
const GROUP_FRAGMENT =
  /^(?:and|are|at|but|how|if|is|it|not|that|unless|until|what|when|where|whether|which|while|who|whoever|whose|why)\b/i
const WORDS_MIN = 3

const TITLE = /(?:'((?:[^'\\\n]|\\.)+)'|"((?:[^"\\\n]|\\.)+)"|`((?:[^`\\]|\\.)+)`)/.source
/** Where the formatter puts them: at the start of a line, so that code in texts is left out. */
const DIRECT = new RegExp(`^ *(test|it|describe)(?:\\.\\w+)*\\(\\s*${TITLE},`, 'gm')
/** Behind the rows of a table, or behind a condition. */
const BEHIND = new RegExp(`^ *(?:[\\])}]|(?:test|it|describe)\\.).*\\)\\(\\s*${TITLE},`, 'gm')
const TABLES = /^ *(test|it|describe)\.\w+/gm

export function titleFragments({ all, path }: Text): readonly Fault[] {
  if (!/^test\/.*\.ts$/.test(path)) return []
  return titlesOf(all).flatMap(({ kind, offset, title }) => {
    const problem = problemOf(kind, title)
    return problem === undefined
      ? []
      : [{ path, line: lineAt(all, offset), problem: `“${title}” ${problem}` }]
  })
}

type Title = { readonly kind: string; readonly title: string; readonly offset: number }

function titlesOf(source: string): readonly Title[] {
  const direct = [...source.matchAll(DIRECT)].map((match) => ({
    kind: match[1] ?? '',
    title: match[2] ?? match[3] ?? match[4] ?? '',
    offset: match.index,
  }))
  const behind = [...source.matchAll(BEHIND)].map((match) => ({
    kind: [...source.slice(0, match.index + match[0].length).matchAll(TABLES)].at(-1)?.[1] ?? '',
    title: match[1] ?? match[2] ?? match[3] ?? '',
    offset: match.index,
  }))
  return [...direct, ...behind]
}

function problemOf(kind: string, title: string): string | undefined {
  if (kind === 'describe') {
    return GROUP_FRAGMENT.test(title) ? 'names no subject of tests: give a noun' : undefined
  }
  if (TEST_FRAGMENT.test(title)) return 'is not a sentence: begin with its subject'
  return title.trim().split(/\s+/).length < WORDS_MIN
    ? 'is not a sentence: name a subject and what it does'
    : undefined
}
