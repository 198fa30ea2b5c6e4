/**
 * ARCHITECTURE.md names existing paths, and for each invariant an existing test. Places for later
 * work are still empty; a place that is filled moves to the code map.
 */
import { describe, expect, test } from 'vitest'
import { titlesOf } from './cited-tests.ts'
import { isThere, readText, rowsOf, sectionOf } from './markdown.ts'

const PAGE = readText('ARCHITECTURE.md')
const LATER = sectionOf(PAGE, '## Where later work will stand')
const TODAY = PAGE.replace(LATER, '')
const INVARIANTS = sectionOf(PAGE, '## Invariants')
  .split(/^(?=\d+\. )/m)
  .filter((part) => /^\d/.test(part))

/** About two screens. */
const LINES_MAX = 110

test(`it has at most ${LINES_MAX} lines`, () => {
  expect(PAGE.trimEnd().split('\n').length).toBeLessThanOrEqual(LINES_MAX)
})

test('every path that it names exists', () => {
  const paths = pathsOf(TODAY)
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter((path) => !isThere(path))).toEqual([])
})

test('the places for later work are still empty', () => {
  const paths = rowsOf(LATER).flatMap(([place = '']) => pathsOf(place))
  expect(paths.length).toBeGreaterThan(1)
  expect(paths.filter((path) => isThere(path))).toEqual([])
})

describe('the invariants', () => {
  test('are numbered from 1', () => {
    expect(INVARIANTS.map((part) => Number.parseInt(part, 10))).toEqual(
      INVARIANTS.map((_, index) => index + 1),
    )
    expect(INVARIANTS.length).toBeGreaterThan(10)
  })

  test.each(INVARIANTS.map((part) => [part.trim().replaceAll(/\s+/g, ' ')]))('%s', (invariant) => {
    const tests = [...invariant.matchAll(/`(test\/[^`]+)`: “([^”]+)”/g)]
    expect(tests.length).toBeGreaterThan(0)
    for (const [, file = '', title = ''] of tests) expect(titlesOf(file)).toContain(title)
  })
})

/** `core/flow/` and `core/errors.ts`, but no pattern such as `test/core/*`. */
function pathsOf(text: string): readonly string[] {
  const quoted = [...text.matchAll(/`([^`\s]+)`/g)].map(([, inside = '']) => inside)
  return quoted.filter((inside) => /^[\w.-]+\/[\w./-]*$|^[A-Z]+\.md$/.test(inside))
}
