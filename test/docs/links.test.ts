/** What `npm run citations` leaves out: scripts, paths in commands, and the links of the changelog. */
import { expect, test } from 'vitest'
import { anchorsOf, blocksOf, isThere, linksOf, PAGES, readText } from './markdown.ts'

const SCRIPTS = Object.keys(JSON.parse(readText('package.json')).scripts)

test('the test finds pages to judge', () => {
  expect(PAGES.length).toBeGreaterThanOrEqual(8)
})

test.each(PAGES)('%s names scripts that package.json has', (page) => {
  const named = [...readText(page).matchAll(/(?:`|&& |^)npm (?:run )?([a-z]+(?::[a-z]+)*)/gm)].map(
    ([, name]) => name,
  )
  const known = [...SCRIPTS, 'run', 'ci', 'install', 'version']
  expect(named.filter((name) => name !== undefined && !known.includes(name))).toEqual([])
})

test('commands of pages name files and folders that are there', () => {
  const named = PAGES.flatMap((page) => blocksOf(readText(page)))
    .filter(({ language }) => language === 'sh')
    .flatMap(
      ({ text }) => text.match(/(?<![\w./:-])(?:test|examples|scripts|bench)\/[\w./-]+/g) ?? [],
    )
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter((path) => !isThere(path))).toEqual([])
})

/** Its prose is not judged, since it may name what is gone; its links lead to pages of today. */
test('CHANGELOG.md links to pages and headings that are there', () => {
  const broken = linksOf(readText('CHANGELOG.md')).filter(({ anchor, path }) => {
    if (!isThere(path)) return true
    return anchor !== undefined && !anchorsOf(readText(path)).includes(anchor)
  })
  expect(broken).toEqual([])
})
