/**
 * `npm run citations` finds faults: each file in fixtures/citations/broken cites one thing that is not there,
 * or has a title that is not a sentence.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkCitations } from '../../scripts/check-citations.ts'

const TREES = join(import.meta.dirname, 'fixtures/citations')
const BROKEN = checkCitations(join(TREES, 'broken'))

/** Descriptions of forbidden words; the words themselves would be faults of this file. */
const NOTHING_OUTSIDE = 'cannot be looked up: nothing outside the repository is cited'
const PAGE_OR_ADR = 'cannot be looked up: cite a heading of docs/service.md or an ADR'
const PAGE_OR_MCP = 'cannot be looked up: cite docs/service.md, or name the MCP page'
const REASON = 'cannot be looked up: say the reason itself, or write an ADR'
const RULE = 'cannot be looked up: say the rule itself, or name the MCP page or ADR'

const CASES: readonly [file: string, line: number, ...says: string[]][] = [
  ['.ci/run', 1, NOTHING_OUTSIDE],
  ['core/adr-path.ts', 1, 'there is no docs/decisions/0003'],
  ['core/adr.ts', 1, 'there is no decision 0002'],
  ['core/anchor.ts', 1, 'there is no docs/service.md#streams'],
  ['core/design-section.ts', 1, PAGE_OR_ADR],
  ['core/folder.ts', 1, 'there is no adapters/gone/'],
  ['core/glob.ts', 1, 'there is no lambdas/*/handler.ts'],
  ['core/heading-cut.ts', 1, 'docs/service.md has no heading “Session.'],
  ['core/heading-in-fence.ts', 1, 'docs/service.md has no heading “Not a heading.'],
  ['core/heading-in-list.ts', 1, 'docs/service.md has no heading “Streams.'],
  ['core/heading.ts', 2, 'docs/service.md has no heading “Streams.'],
  ['core/issue.ts', 1, REASON],
  ['core/page-name.ts', 1, 'there is no revisions.md'],
  ['core/page-path.ts', 1, 'there is no reference/aws.md'],
  ['core/path.ts', 1, 'there is no core/gone.ts'],
  ['core/placeholder.ts', 1, 'there is no core/mcp/'],
  ['core/prices.json', 1, NOTHING_OUTSIDE],
  ['core/section.ts', 1, 'cannot be looked up: name the page or RFC that has the section'],
  ['core/shared.ts', 1, NOTHING_OUTSIDE],
  ['core/spec.ts', 1, PAGE_OR_MCP],
  ['core/the-design.ts', 1, PAGE_OR_ADR],
  ['core/the-spec.ts', 1, PAGE_OR_MCP],
  ['core/trap.ts', 1, RULE],
  ['docs/link-anchor.md', 3, 'there is no docs/service.md#streams'],
  ['docs/link-here.md', 3, 'there is no docs/link-here.md#b'],
  ['docs/link.md', 3, 'there is no docs/gone.md', 'there is no gone.md'],
  ['docs/test-file.md', 3, 'there is no test/core/gone.test.ts', 'has no test “is made once”'],
  ['docs/test-title.md', 3, 'test/core/session.test.ts has no test “is made twice”'],
  ['test/core/title-fragment.test.ts', 1, 'is not a sentence: begin with its subject'],
  ['test/core/title-of-group.test.ts', 1, 'names no subject of tests: give a noun'],
  ['test/core/title-of-its-group.test.ts', 2, 'repeats its group: leave the group out'],
  ['test/core/title-of-rows.test.ts', 4, 'is not a sentence: name a subject and what it does'],
]

describe('the check of citations', () => {
  test.each(CASES)(
    'finds the broken citation in %s, on line %i, and nothing else',
    (file, line, ...says) => {
      const faults = BROKEN.faults.filter(({ path }) => path === file)
      expect(faults.map((fault) => fault.line)).toEqual(says.map(() => line))
      const found = faults.map(({ problem }) => problem).sort()
      expect(found).toEqual([...says].sort().map((said) => expect.stringContaining(said)))
    },
  )

  test('blames no file but the broken ones', () => {
    const blamed = new Set(BROKEN.faults.map(({ path }) => path))
    expect([...blamed].sort()).toEqual(CASES.map(([file]) => file).sort())
  })

  test('accepts citations that can be opened, and the history', () => {
    expect(checkCitations(join(TREES, 'allowed'))).toEqual({ faults: [], seenCount: 6 })
  })

  test('reports a tree without any file, so that a check that saw nothing fails', async () => {
    const root = await mkdtemp(join(tmpdir(), 'skillgate-empty-'))
    try {
      expect(checkCitations(root)).toEqual({ faults: [], seenCount: 0 })
    } finally {
      await rm(root, { recursive: true })
    }
  })
})
