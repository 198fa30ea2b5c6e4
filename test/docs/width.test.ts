/** Prose of the pages is wrapped at one width, so that a change of a sentence shows as a change of a few lines. */
import { expect, test } from 'vitest'
import { filesOf, readText } from './markdown.ts'

/** Columns of a line of prose. Characters, not bytes. */
const COLUMNS_MAX = 100

/** Written by scripts: protocol, cli:page, settings:page, admin:page. */
const GENERATED = ['docs/protocol.md', 'docs/cli.md', 'docs/settings.md', 'docs/admin-api.md']

const WRAPPED = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...filesOf('docs/*.md'),
  ...filesOf('docs/design/*.md'),
  ...filesOf('docs/issuers/*.md'),
].filter((page) => !GENERATED.includes(page))

test.each(WRAPPED)(`%s has no line of prose over ${COLUMNS_MAX} columns`, (page) => {
  expect(longLinesOf(readText(page))).toEqual([])
})

test('a table, code, and a link or word that cannot be broken may be longer', () => {
  const long = 'word '.repeat(30)
  const url = `https://example.com/${'a'.repeat(100)}`
  expect(longLinesOf(`| ${long}|\n`)).toEqual([])
  expect(longLinesOf(`\`\`\`\n${long}\n\`\`\`\n    ${long}\n`)).toEqual([])
  expect(longLinesOf(`see\n[this page](${url}).\n`)).toEqual([])
  expect(longLinesOf(`${long}\n`)).toEqual([`1: ${long}`])
  expect(longLinesOf(`- ${long}\n`)).toEqual([`1: - ${long}`])
})

/** With their numbers. The URLs of links are not counted. */
function longLinesOf(text: string): readonly string[] {
  let isCode = false
  return text.split('\n').flatMap((line, index) => {
    const isFence = line.trimStart().startsWith('```')
    if (isFence) isCode = !isCode
    const isProse = !(isFence || isCode) && !/^(?: {4}|\||#|\[[^\]]+\]: )/.test(line)
    const shown = line.replaceAll(/\]\([^)]*\)/g, ']')
    return isProse && [...shown].length > COLUMNS_MAX ? [`${index + 1}: ${line}`] : []
  })
}
