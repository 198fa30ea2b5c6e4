/** CHANGELOG.md keeps the format that it names. */
import { expect, test } from 'vitest'
import { readText } from './markdown.ts'

const LINES = readText('CHANGELOG.md').split('\n')

test('CHANGELOG.md has a heading for each version, newest first, with the day of its release', () => {
  const versions = LINES.filter((line) => line.startsWith('## '))
  for (const heading of versions) {
    expect(heading).toMatch(/^## (Unreleased|\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d)$/)
  }
  const days = versions.map((heading) => heading.split(' - ')[1] ?? '9999')
  expect(days).toEqual([...days].sort().reverse())
})

test('CHANGELOG.md sorts its lines by the six kinds of Keep a Changelog', () => {
  const kinds = new Set(LINES.filter((line) => line.startsWith('### ')))
  const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']
  expect([...kinds].filter((kind) => !known.includes(kind.slice(4)))).toEqual([])
})
