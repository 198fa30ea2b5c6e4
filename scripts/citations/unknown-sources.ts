/**
 * Finds citations of documents that readers of the repository do not have. Searches the whole of
 * each file, including test titles and error texts.
 */
import { type CitationError, findLine, type Text } from './text.ts'

const UNKNOWN_SOURCES: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bdesign\s+sections?\b/gi, 'cite a heading of docs/service.md or an ADR'],
  [/\bthe\s+design(?:'s)?\b/gi, 'cite a heading of docs/service.md or an ADR'],
  [/\bissues?\s+#?\d+/gi, 'say the reason itself, or write an ADR'],
  // Also matches without an article, before a comma or colon; not “specification”, and not
  // `--spec-version`.
  [/\bthe\s+spec\b|\bspec(?=[:,]\s)/gi, 'cite docs/service.md, or name the MCP page'],
  [/\btraps?\s+\d+/gi, 'say the rule itself, or name the MCP page or ADR'],
  // A section number without its document, which must be named beside it.
  [/\(sections?\s+\d[\d.]*\)/gi, 'name the page or RFC that has the section'],
  // A folder beside the repository; a package may have a folder of that name: `sdk/shared/x.js`.
  [/(?<![\w./-])(?:\.{1,2}\/)*shared\//g, 'nothing outside the repository is cited'],
]

export function findUnknownSources({ all, path, prose }: Text): readonly CitationError[] {
  return UNKNOWN_SOURCES.flatMap(([pattern, instead]) => {
    // The prose is searched too, because there a line break inside a comment is a blank, without
    // the comment's mark.
    const found = [...all.matchAll(pattern), ...prose.matchAll(pattern)]
    const byLine = new Map(found.map((match) => [findLine(all, match.index), match[0]]))
    return [...byLine].map(([line, words]) => ({
      path,
      line,
      problem: `“${words.replaceAll(/\s+/g, ' ')}” cannot be looked up: ${instead}`,
    }))
  })
}
