/** Scripts and paths in commands, which `npm run citations` leaves out, and the links of every page. */
import { dirname, join } from 'node:path'
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

/** The prose of the changelog is not judged, since it may name what is gone; its links are. */
test.each(PAGES)('%s links to pages and headings that are there', (page) => {
  const broken = linksOf(readText(page)).filter(({ anchor, path }) => {
    const target = path === '' ? page : join(dirname(page), path)
    if (!isThere(target)) return true
    return anchor !== undefined && !anchorsOf(readText(target)).includes(anchor)
  })
  expect(broken).toEqual([])
})
