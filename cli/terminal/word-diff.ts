/**
 * Shows how a text or a list of lines changed. Words that are gone are red on a terminal with
 * colours, and new ones green; elsewhere they are `[-gone-]` and `{+new+}`.
 */
import { diffArrays, diffWordsWithSpace } from 'diff'
import type { Output } from './shell.ts'

/** Changes that are looked for; texts that differ more count as replaced. */
export const EDITS_MAX = 1_000

export type TextPart = { readonly kind: 'same' | 'gone' | 'new'; readonly text: string }

/** Returns the words of both texts in their order. */
export function diffWords(before: string, after: string): readonly TextPart[] {
  const changes = diffWordsWithSpace(before, after, { maxEditLength: EDITS_MAX })
  if (changes === undefined) return listReplaced(before, after)
  return changes.map(({ added, removed, value }) => ({
    kind: added ? 'new' : removed ? 'gone' : 'same',
    text: value,
  }))
}

function listReplaced(before: string, after: string): readonly TextPart[] {
  return [
    { kind: 'gone', text: before },
    { kind: 'new', text: after },
  ]
}

export function formatParts(parts: readonly TextPart[]): string {
  return parts.map(formatPart).join('')
}

function formatPart({ kind, text }: TextPart): string {
  switch (kind) {
    case 'same':
      return text
    case 'gone':
      return `[-${text}-]`
    case 'new':
      return `{+${text}+}`
    default:
      return kind satisfies never
  }
}

/** Writes the words, with marks or in colours. */
export function writeParts(output: Output, parts: readonly TextPart[]): void {
  for (const [index, part] of parts.entries()) {
    if (!output.hasColours || part.kind === 'same') {
      output.write(formatPart(part))
      continue
    }
    output.control(part.kind === 'gone' ? 'red' : 'green')
    output.write(part.text)
    output.control('usual-colour')
    if (part.kind === 'gone' && isNewWord(parts[index + 1], part.text)) output.write(' ')
  }
}

/** Colours alone do not part a word from the one that replaces it. */
function isNewWord(next: TextPart | undefined, gone: string): boolean {
  return next?.kind === 'new' && !/\s$/.test(gone) && !/^\s/.test(next.text)
}

export type DiffLine = { readonly mark: ' ' | '+' | '-' | '…'; readonly text: string }

/** Unchanged lines that are shown before and after each change. */
const CONTEXT_LINES = 2

/** Returns the changed lines with some lines around them; empty for equal texts. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const changes = diffArrays([...before], [...after], { maxEditLength: EDITS_MAX })
  const lines =
    changes === undefined
      ? [...before.map((text) => toLine('-', text)), ...after.map((text) => toLine('+', text))]
      : changes.flatMap(({ added, removed, value }) =>
          value.map((text) => toLine(added ? '+' : removed ? '-' : ' ', text)),
        )
  return keepContext(lines)
}

function toLine(mark: DiffLine['mark'], text: string): DiffLine {
  return { mark, text }
}

/** Replaces unchanged lines that are far from a change by one mark. */
function keepContext(lines: readonly DiffLine[]): DiffLine[] {
  const near = new Set<number>()
  for (const [at, { mark }] of lines.entries()) {
    if (mark === ' ') continue
    for (let one = at - CONTEXT_LINES; one <= at + CONTEXT_LINES; one += 1) near.add(one)
  }
  if (near.size === 0) return []
  return lines.flatMap((line, at) => {
    if (near.has(at)) return [line]
    return at === 0 || near.has(at - 1) ? [toLine('…', '')] : []
  })
}
