/** Every link between pages leads somewhere, and every script that a page names exists. */
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { anchorsOf, isThere, linksOf, PAGES, readText } from './markdown.ts'

const SCRIPTS = Object.keys(JSON.parse(readText('package.json')).scripts)

test('there are pages to judge', () => {
  expect(PAGES.length).toBeGreaterThanOrEqual(8)
})

describe.each(PAGES)('%s', (page) => {
  const text = readText(page)

  test('links to what is there', () => {
    const broken = linksOf(text).filter(({ path }) => !isThere(join(dirname(page), path)))
    expect(broken).toEqual([])
  })

  test('links to headings that exist', () => {
    const broken = linksOf(text).filter(({ anchor, path }) => {
      if (anchor === undefined) return false
      return !anchorsOf(path === '' ? text : readText(join(dirname(page), path))).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  test('names scripts that package.json has', () => {
    const named = [...text.matchAll(/(?:`|&& )npm (?:run )?([a-z]+(?::[a-z]+)*)/g)].map(
      ([, name]) => name,
    )
    const known = [...SCRIPTS, 'run', 'ci', 'install']
    expect(named.filter((name) => name !== undefined && !known.includes(name))).toEqual([])
  })
})
