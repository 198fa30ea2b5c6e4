/** docs/decisions/README.md lists every number of a decision, with its title and where to read it. */
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { filesOf, linksOf, readText, rowsOf } from './markdown.ts'

const INDEX = rowsOf(readText('docs/decisions/README.md'))
const FILES = filesOf('docs/decisions/[0-9]*.md').map((path) => basename(path))
const NEVER_USED = 'number never used'
/** Of a decision: no more than is read at once. */
const LINES_MAX = 60

test('the index of decisions has every number once, in order and without a gap', () => {
  const numbers = INDEX.map(([number]) => number)
  expect(numbers.length).toBeGreaterThanOrEqual(106)
  expect(numbers).toEqual(numbers.map((_, index) => String(index + 1).padStart(4, '0')))
  const last = FILES.at(-1)?.slice(0, 4) ?? ''
  expect(numbers).toContain(last)
})

test('each number leads to a page, or the index says that it was never used', () => {
  const without = INDEX.filter(([, title, page = '']) =>
    title === NEVER_USED ? page !== '' : linksOf(page).length === 0,
  )
  expect(without).toEqual([])
})

test('the index lists each file of docs/decisions, under its number and title', () => {
  const listed = INDEX.flatMap(([number, title, page = '']) =>
    linksOf(page)
      .filter(({ path }) => !path.includes('/'))
      .map(({ path }) => ({ path, number, title })),
  )
  expect(listed.map(({ path }) => path)).toEqual(FILES)
  for (const { number, path, title } of listed) {
    expect(path.slice(0, 4)).toBe(number)
    expect(readText(`docs/decisions/${path}`).split('\n')[0]).toBe(`# ${number} · ${title}`)
  }
})

test(`a decision has at most ${LINES_MAX} lines`, () => {
  const linesOf = (file: string) => readText(`docs/decisions/${file}`).trimEnd().split('\n').length
  expect(FILES.filter((file) => linesOf(file) > LINES_MAX)).toEqual([])
})

test('each folded number is in the history of its design page', () => {
  const folded = INDEX.flatMap(([number = '', , page = '']) =>
    linksOf(page).map(({ path }) => ({ number, page: path.replace('../', 'docs/') })),
  ).filter(({ page }) => page.startsWith('docs/design/'))
  expect(folded.length).toBeGreaterThan(50)
  const missing = folded.filter(({ number, page }) => {
    const history = readText(page).split('\n## History\n')[1] ?? ''
    return !history.includes(number)
  })
  expect(missing).toEqual([])
})
