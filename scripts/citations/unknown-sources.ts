/**
 * Finds citations of documents that readers of the repository do not have. Searches the whole of
 * each file, including test titles and error texts.
 */
import { type Fault, lineAt, type Text } from './text.ts'

type Unknown = { readonly pattern: RegExp; readonly instead: string }

const UNKNOWN: readonly Unknown[] = [
  { pattern: /\bdesign\s+sections?\b/gi, instead: 'cite a heading of docs/service.md or an ADR' },
  { pattern: /\bthe\s+design(?:'s)?\b/gi, instead: 'cite a heading of docs/service.md or an ADR' },
  { pattern: /\bissues?\s+#?\d+/gi, instead: 'say the reason itself, or write an ADR' },
  // Also without an article, before a comma or colon; not “specification”, and not
  // `--spec-version`.
  {
    pattern: /\bthe\s+spec\b|\bspec(?=[:,]\s)/gi,
    instead: 'cite docs/service.md, or name the MCP page',
  },
  { pattern: /\btraps?\s+\d+/gi, instead: 'say the rule itself, or name the MCP page or ADR' },
  // A section number without its document: the document must be named beside it.
  { pattern: /\(sections?\s+\d[\d.]*\)/gi, instead: 'name the page or RFC that has the section' },
  // The folder beside the repository; a package may have a folder of that name: `sdk/shared/x.js`.
  {
    pattern: /(?<![\w./-])(?:\.{1,2}\/)*shared\//g,
    instead: 'nothing outside the repository is cited',
  },
]

export function unknownSources({ all, path, prose }: Text): readonly Fault[] {
  const faults = UNKNOWN.flatMap(({ instead, pattern }) =>
    // Prose too: there a line break inside a comment is a blank, without the comment's mark.
    [...all.matchAll(pattern), ...prose.matchAll(pattern)].map((match) => ({
      path,
      line: lineAt(all, match.index),
      problem: `“${match[0].replaceAll(/\s+/g, ' ')}” cannot be looked up: ${instead}`,
    })),
  )
  return faults.filter((fault, index) => faults.findIndex((one) => isSame(one, fault)) === index)
}

function isSame(one: Fault, other: Fault): boolean {
  return one.line === other.line && one.problem === other.problem
}
