/**
 * Finds which tests cite which rows: a comment `// Holds: RPC-1, RPC-2` stands right above a test. A
 * comment that no test follows is a fault, so that a deleted test takes its citation along.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Citation = {
  readonly id: string
  readonly file: string
  /** With the words of the `describe` around it, which it goes on. */
  readonly title: string
}
export type Citations = {
  readonly cited: readonly Citation[]
  /** `file:line` of comments that stand above no test, or name no rows. */
  readonly loose: readonly string[]
}

const HOLDS = /^\s*\/\/ Holds:(.*)$/
const ID_LIST = /^ [A-Z]+-\d+(?:, [A-Z]+-\d+)*$/
/** Not `test.skip` and its like, which hold nothing. */
const TEST = /^[ \t]*(?:test|it)(\.each|\.for)?(?:<[^\n]*>)?\(/
const TITLE = /^\s*(['"`])((?:(?!\1)[^\n\\]|\\.)*)\1\s*,/
/** Behind the table of a `test.each([…])(`. */
const TITLE_OF_TABLE = /\)\(\s*(['"`])((?:(?!\1)[^\n\\]|\\.)*)\1\s*,/
const DESCRIBE = /^([ \t]*)describe(?:\.\w+)*\((?:.*\)\()?(['"`])([^\n]*?)\2\s*,/

/** Every citation in the tests of this repository; those about citations themselves are none. */
export function citationsOfTests(root: string): Citations {
  const files = globSync('test/**/*.test.ts', { cwd: root })
    .filter((file) => !file.startsWith('test/requirements/requirements'))
    .sort()
  const found = files.map((file) => citationsOf(file, readFileSync(join(root, file), 'utf8')))
  return {
    cited: found.flatMap(({ cited }) => cited),
    loose: found.flatMap(({ loose }) => loose),
  }
}

export function citationsOf(file: string, source: string): Citations {
  const lines = source.split('\n')
  const cited: Citation[] = []
  const loose: string[] = []
  for (const [index, line] of lines.entries()) {
    const ids = HOLDS.exec(line)?.[1]
    if (ids === undefined) continue
    const title = titleBelow(lines, index + 1)
    if (title === undefined || !ID_LIST.test(ids)) loose.push(`${file}:${index + 1}`)
    else
      cited.push(
        ...ids
          .trim()
          .split(', ')
          .map((id) => ({ id, file, title })),
      )
  }
  return { cited, loose }
}

function titleBelow(lines: readonly string[], at: number): string | undefined {
  const opening = TEST.exec(lines[at] ?? '')
  if (opening === null) return undefined
  const text = lines.slice(at).join('\n')
  const isTable = opening[1] !== undefined
  const title = (
    isTable ? TITLE_OF_TABLE.exec(text) : TITLE.exec(text.slice(opening[0].length))
  )?.[2]
  return title && [...groupsAround(lines, at), title].join(' › ')
}

/** Titles of the `describe`s that the line is in, outermost first: those indented less, going up. */
function groupsAround(lines: readonly string[], at: number): readonly string[] {
  let indent = indentOf(lines[at] ?? '')
  const groups: string[] = []
  for (let line = at - 1; line >= 0 && indent > 0; line -= 1) {
    const found = DESCRIBE.exec(lines[line] ?? '')
    if (found === null || (found[1] ?? '').length >= indent) continue
    indent = (found[1] ?? '').length
    groups.unshift(found[3] ?? '')
  }
  return groups
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}
