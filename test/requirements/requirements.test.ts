/**
 * The rows and the tests that cite them: none without the other. docs/protocol.md is made of both.
 */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { formatProtocolPage } from '../../scripts/protocol-page.ts'
import { readText } from '../docs/markdown.ts'
import { citationsOf, citationsOfTests } from './citations.ts'
import { LEFT_OUT } from './left-out.ts'
import { MCP_REVISIONS, type Requirement } from './requirement.ts'
import { AREAS, ROWS } from './rows/all.ts'

const { cited, loose } = citationsOfTests(join(import.meta.dirname, '../..'))

test('every row is cited by a test', () => {
  expect(uncited(ROWS, cited)).toEqual([])
})

describe('the rows', () => {
  test('have an id each, which no other row has', () => {
    expect(repeated(ROWS.map(({ id }) => id))).toEqual([])
    expect(ROWS.filter(({ id }) => !/^[A-Z]+-\d+$/.test(id))).toEqual([])
  })

  test('are sentences', () => {
    expect(ROWS.filter(({ says }) => !isSentence(says))).toEqual([])
    expect(LEFT_OUT.filter(({ says, why }) => !isSentence(says) || !isSentence(why))).toEqual([])
  })

  test('name a page of the specification', () => {
    const page = /^(?:basic|server|client|schema|ext-tasks|ext-skills)(?:\/[a-z-]+)*(?:, \S.*)?$/
    expect([...ROWS, ...LEFT_OUT].filter(({ source }) => !page.test(source))).toEqual([])
  })

  test.each(MCP_REVISIONS)('have MUSTs and SHOULDs of %s', (version) => {
    const own = ROWS.filter(({ revisions }) => revisions.includes(version))
    expect(own.filter(({ level }) => level === 'MUST').length).toBeGreaterThanOrEqual(30)
    expect(own.filter(({ level }) => level === 'SHOULD').length).toBeGreaterThanOrEqual(10)
  })

  test.each(ROWS)('the row $id has revisions, oldest first and without a gap', ({ revisions }) => {
    expect(revisions.length).toBeGreaterThan(0)
    const [first, last] = [revisions[0], revisions.at(-1)]
    const between = MCP_REVISIONS.filter((one) => one >= (first ?? '') && one <= (last ?? ''))
    expect(revisions).toEqual(between)
  })

  test.each(AREAS)(
    'the area “$title” has rows, under a sentence that describes them',
    ({ about, rows }) => {
      expect(rows.length).toBeGreaterThan(0)
      expect(isSentence(about)).toBe(true)
    },
  )
})

describe('the citations', () => {
  test('name existing rows', () => {
    expect(unknown(ROWS, cited)).toEqual([])
  })

  test('each citation is above a test', () => {
    expect(loose).toEqual([])
  })
})

test('docs/protocol.md is made of the rows: npm run protocol', () => {
  expect(readText('docs/protocol.md')).toBe(formatProtocolPage())
})

describe('a fault of the rows', () => {
  const row = (id: string): Requirement => ({
    id,
    level: 'MUST',
    revisions: ['2025-11-25'],
    source: 'basic',
    says: 'It does.',
  })
  // Written in two halves, so that these are no citations of this file.
  const HOLDS = ['// Ho', 'lds:'].join('')

  test('a row without a test is detected', () => {
    const { cited } = citationsOf('a.test.ts', `${HOLDS} RPC-1\ntest('it works', () => {})`)
    expect(uncited([row('RPC-1'), row('RPC-2')], cited)).toEqual(['RPC-2'])
  })

  test('a test without a row is detected', () => {
    const { cited } = citationsOf('a.test.ts', `${HOLDS} RPC-1, RPC-9\ntest('it works', () => {})`)
    expect(unknown([row('RPC-1')], cited)).toEqual(['RPC-9 in a.test.ts'])
  })

  test('an id that two rows have is detected', () => {
    expect(repeated(['A-1', 'B-1', 'A-1'])).toEqual(['A-1'])
  })

  test.each([
    ['above nothing', `${HOLDS} RPC-1\n`],
    ['above an empty line', `${HOLDS} RPC-1\n\ntest('it works', () => {})`],
    ['above something else', `${HOLDS} RPC-1\nconst test = 1`],
    ['above a test that is skipped by a name of its own', `${HOLDS} RPC-1\nskipped('it works', f)`],
    ['without ids', `${HOLDS}\ntest('it works', () => {})`],
    ['with a list that is none', `${HOLDS} RPC-1 RPC-2\ntest('it works', () => {})`],
    ['with a comma too many', `${HOLDS} RPC-1,\ntest('it works', () => {})`],
    ['above a test without a title', `${HOLDS} RPC-1\ntest(TITLE, () => {})`],
  ])('a comment %s is detected', (_what, source) => {
    expect(citationsOf('a.test.ts', source)).toEqual({ cited: [], loose: ['a.test.ts:1'] })
  })

  test.each(['skip', 'todo', 'fails', 'skipIf'])(
    'a test that cannot fail is detected: %s',
    (how) => {
      const source = `${HOLDS} RPC-1\ntest.${how}('it works', () => {})`
      expect(citationsOf('a.test.ts', source).loose).toEqual(['a.test.ts:1'])
    },
  )

  test.each(['holds what is said', 'Holds it', 'It', ''])(
    'a text that is no sentence is detected: %j',
    (text) => {
      expect(isSentence(text)).toBe(false)
    },
  )
})

describe('a citation', () => {
  const HOLDS = '// Holds:'
  const titleOf = (source: string) =>
    citationsOf('a.test.ts', source).cited.map(({ title }) => title)

  test.each([
    ['a test', `test('works', () => {})`],
    ['a test with options', `test('works', { timeout: 1 }, async () => {})`],
    ['a test whose title is on the next line', `test(\n  'works',\n  () => {})`],
    ['a table', `test.each([['a', () => b(1)], [')(', 2]])('works', () => {})`],
    ['a table of types', `test.each<[string, X]>([\n  ['a', { b: 1 }],\n])('works', () => {})`],
    ['a table with a name', `test.each(ROWS.map((row) => [row]))('works', () => {})`],
  ])('has the title of %s', (_what, source) => {
    expect(titleOf(`${HOLDS} A-1\n${source}`)).toEqual(['works'])
  })

  test('has the words of the groups around it, and not of those before it', () => {
    const source = [
      `describe('a door', () => {`,
      `  describe('before', () => {`,
      `    test('is', () => {})`,
      `  })`,
      `  describe('that is open', () => {`,
      `    ${HOLDS} A-1, B-2`,
      `    test('lets in', () => {})`,
    ].join('\n')
    expect(titleOf(source)).toEqual([
      'a door › that is open › lets in',
      'a door › that is open › lets in',
    ])
  })
})

type Citations = readonly { readonly id: string; readonly file: string }[]

function uncited(rows: readonly Requirement[], cited: Citations): readonly string[] {
  const held = new Set(cited.map(({ id }) => id))
  return rows.map(({ id }) => id).filter((id) => !held.has(id))
}

function unknown(rows: readonly Requirement[], cited: Citations): readonly string[] {
  const known = new Set(rows.map(({ id }) => id))
  return cited.filter(({ id }) => !known.has(id)).map(({ id, file }) => `${id} in ${file}`)
}

function repeated(ids: readonly string[]): readonly string[] {
  return ids.filter((id, index) => ids.indexOf(id) !== index)
}

/** Begins with a capital letter or a word of the wire, has a few words, ends in a full stop. */
function isSentence(text: string): boolean {
  return /^[A-Z`]/.test(text) && text.split(' ').length >= 3 && text.endsWith('.')
}
