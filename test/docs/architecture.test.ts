/**
 * ARCHITECTURE.md names existing paths, functions, rooms, and a test for each invariant. Paths of
 * later work must not exist yet: once a path exists, it moves to the code map.
 */
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { titlesOf } from './cited-tests.ts'
import { filesOf, isThere, readText, rowsOf, sectionOf } from './markdown.ts'

const PAGE = readText('ARCHITECTURE.md')
const LATER = sectionOf(PAGE, '## Where later work will stand')
const TODAY = PAGE.replace(LATER, '')
const INVARIANTS = rowsOf(sectionOf(PAGE, '## Invariants'))

/** Two tables of hops, the map, the invariants and the glossary; no more than can be read at one sitting. */
const LINES_MAX = 200

/** A hop of a journey: `file` → `function`, on one line or across a line's end. */
const HOPS = [...PAGE.matchAll(/`([\w./-]+\.ts)`\s+→\s+`(\w+)`/g)].map(
  ([, file = '', name = '']) => ({ file, name }),
)

test(`ARCHITECTURE.md has at most ${LINES_MAX} lines`, () => {
  expect(PAGE.trimEnd().split('\n').length).toBeLessThanOrEqual(LINES_MAX)
})

test('every path that it names exists', () => {
  const paths = pathsOf(TODAY)
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter((path) => !isThere(path))).toEqual([])
})

test('every hop of a journey is a function that its file exports', () => {
  expect(HOPS.length).toBeGreaterThan(30)
  const exported = ({ file, name }: (typeof HOPS)[number]) =>
    new RegExp(`^export (?:async )?(?:function\\*?|const) ${name}\\b`, 'm').test(readText(file))
  expect(HOPS.filter((hop) => !exported(hop))).toEqual([])
  expect(PAGE.match(/→/g)).toHaveLength(HOPS.length + EXPLAINED_ARROWS)
})

test.each([
  ['core/flow', '### Rooms of the flows', /`core\/flow\/([\w-]+)\/`/g],
  ['adapters/dynamodb', '### Rooms of the DynamoDB adapter', /`adapters\/dynamodb\/([\w-]+)\/`/g],
])('the table of %s has its rooms and no others', (folder, heading, room) => {
  const table = rowsOf(sectionOf(PAGE, heading)).flat().join(' ')
  const named = [...table.matchAll(room)].map(([, name]) => name)
  const real = filesOf(`${folder}/*/`).map((path) => basename(path))
  expect(named.sort()).toEqual(real)
})

test('the glossary is in alphabetical order and has the words of the house', () => {
  const words = rowsOf(sectionOf(PAGE, '## Glossary')).map(([word = '']) => word)
  expect(words).toEqual([...words].sort())
  expect(words).toEqual(expect.arrayContaining(['door', 'twin', 'hold', 'skill', 'tier', 'void']))
})

test('the places for later work are still empty', () => {
  const places = rowsOf(LATER)
  expect(places.length).toBeGreaterThan(0)
  const paths = places.flatMap(([place = '']) => pathsOf(place))
  expect(paths.filter((path) => isThere(path))).toEqual([])
})

describe('the invariants', () => {
  test('are numbered from 1', () => {
    expect(INVARIANTS.map(([number]) => number)).toEqual(
      INVARIANTS.map((_, index) => `${index + 1}`),
    )
    expect(INVARIANTS.length).toBeGreaterThan(10)
  })

  test.each(INVARIANTS.map(([, invariant = '', cell = '']) => [invariant, cell]))(
    'the invariant has tests: %s',
    (_, cell) => {
      const tests = [...cell.matchAll(/`(test\/[^`]+)`: “([^”]+)”/g)]
      expect(tests.length).toBeGreaterThan(0)
      for (const [, file = '', title = ''] of tests) expect(titlesOf(file)).toContain(title)
    },
  )
})

/** Arrows in the sentence that says how to read a hop. */
const EXPLAINED_ARROWS = 1

/** `core/flow/` and `core/errors.ts`, but no pattern such as `test/core/*`, and no method of MCP. */
function pathsOf(text: string): readonly string[] {
  const quoted = [...text.matchAll(/`([^`\s]+)`/g)].map(([, inside = '']) => inside)
  const named = quoted.filter((inside) => !/^(?:tools|subscriptions)\/\w+$/.test(inside))
  return named.filter((inside) => /^[\w.-]+\/[\w./-]*$|^[A-Z]+\.md$/.test(inside))
}
