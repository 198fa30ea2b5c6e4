/**
 * `npm run citations`: checks that everything that sources and pages cite can be opened in this
 * repository. Fails on a path, page, heading, anchor, decision or test title that does not exist,
 * on words that cite a document that readers do not have, on titles of tests that are no sentences,
 * and if there was nothing to check.
 *
 * How to cite: a path from the root; `docs/service.md, Sessions and Streams`;
 * `docs/wire.md#limits`; `ADR 0026`; in pages a test by its file and title, as docs/security.md has
 * them. From outside: MCP by revision and page (`MCP 2025-06-18, basic/transports`), an RFC by
 * number, an AWS page by name.
 */
import '../bench/lib/help.ts'
import { join } from 'node:path'
import { findMissingHeadings } from './citations/missing-headings.ts'
import { findMissingPaths } from './citations/missing-paths.ts'
import { findMissingTests } from './citations/missing-tests.ts'
import { type CitationError, readTexts } from './citations/text.ts'
import { findTitleFragments } from './citations/title-fragments.ts'
import { findUnknownSources } from './citations/unknown-sources.ts'

export type CitationReport = {
  readonly faults: readonly CitationError[]
  readonly seenCount: number
}

/** Checks the tree under `root`. */
export function checkCitations(root: string): CitationReport {
  const texts = readTexts(root)
  const faults = texts.flatMap((text) => [
    ...findUnknownSources(text),
    ...findTitleFragments(text),
    ...findMissingPaths(root, text),
    ...findMissingHeadings(root, text),
    ...findMissingTests(root, text),
  ])
  return { faults, seenCount: texts.length }
}

if (import.meta.main) {
  const { faults, seenCount } = checkCitations(join(import.meta.dirname, '..'))
  for (const { line, path, problem } of faults) console.error(`${path}:${line}: ${problem}`)
  console.log(`citations: ${seenCount} files, ${faults.length} faults`)
  if (seenCount === 0 || faults.length > 0) process.exitCode = 1
}
