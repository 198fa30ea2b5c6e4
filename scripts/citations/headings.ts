/** Reads headings of Markdown pages, as texts and as the anchors that GitHub makes of them. */

export type Heading = { readonly text: string; readonly level: number; readonly offset: number }

/** Returns all headings. `prose` is a page without its fenced code. */
export function listHeadings(prose: string): readonly Heading[] {
  return [...prose.matchAll(/^(#{1,6}) +(.+?) *$/gm)].map((match) => ({
    text: match[2] ?? '',
    level: match[1]?.length ?? 0,
    offset: match.index,
  }))
}

export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

/**
 * Returns the range from a heading to the next one of its level or above; an empty range if there
 * is no such heading.
 */
export function findSectionRange(
  prose: string,
  heading: string | undefined,
): { readonly from: number; readonly to: number } {
  const headings = listHeadings(prose)
  const at = headings.findIndex(({ text }) => text === heading)
  const from = headings[at]
  if (from === undefined) return { from: 0, to: 0 }
  const next = headings.slice(at + 1).find(({ level }) => level <= from.level)
  return { from: from.offset, to: next?.offset ?? prose.length }
}
