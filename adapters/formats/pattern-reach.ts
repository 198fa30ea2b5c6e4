/**
 * Measures the parts of a regular expression that a time limit cannot stop. V8 checks for a request to stop
 * only when a match attempt backtracks. A part that never backtracks is measured by the characters that it
 * reads: a lookaround that is repeated for each character, and counts in counts. Reads only what `new RegExp(…,
 * 'u')` accepts.
 */

/** A surrogate pair in two escapes, other escapes, classes, quantifiers, group openings, anything. */
const TOKEN =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|k<[^>]*>|[1-9]\d*|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|(?:[*+?]|\{\d+(?:,\d*)?\})\??|\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:))?|[\s\S]/gu
const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??$/
const LOOK = /^\(\?<?[=!]$/
const FLAGS = /^\(\?[a-z-]+:$/
const BACKREFERENCE = /^\\(?:k<|[1-9])/

export type PatternReach = {
  /** Characters that lookarounds inside a repetition read at most, at one place of the text. */
  readonly repeatedLooks: number
  /** Parts when each count is written out as often as it has to match. */
  readonly written: number
  /** `(?i:…)` and the like, which a client's validator may not know. */
  readonly setsFlags: boolean
  /** Groups in groups. */
  readonly depth: number
}

/** What one part of the pattern, or a group so far, reads at one place of the text. */
type Part = { readonly reads: number; readonly looks: number; readonly written: number }
type Group = { readonly isLook: boolean; readonly parts: Part[] }

const NOTHING: Part = { reads: 0, looks: 0, written: 0 }

export function reachOf(pattern: string): PatternReach {
  const reach = { depth: 0, repeatedLooks: 0, setsFlags: false, written: 0 }
  const open: Group[] = [{ isLook: false, parts: [] }]
  for (const [token] of pattern.matchAll(TOKEN)) readToken(token, open, reach)
  return { ...reach, written: total(open.flatMap(({ parts }) => parts)).written }
}

type Reach = { -readonly [field in keyof PatternReach]: PatternReach[field] }

function readToken(token: string, open: Group[], reach: Reach): void {
  const parts = open.at(-1)?.parts ?? []
  if (token.startsWith('(')) {
    reach.setsFlags ||= FLAGS.test(token)
    reach.depth = Math.max(reach.depth, open.length)
    open.push({ isLook: LOOK.test(token), parts: [] })
  } else if (token === ')') {
    const closing = open.pop()
    if (closing !== undefined) open.at(-1)?.parts.push(closed(closing))
  } else if (QUANTIFIER.test(token)) {
    const last = parts.pop() ?? NOTHING
    const { max, min } = countsOf(token)
    if (max > 1) reach.repeatedLooks = Math.max(reach.repeatedLooks, last.looks)
    parts.push(repeated(last, min, max))
  } else if (token !== '|') parts.push(single(token))
}

function single(token: string): Part {
  return { reads: BACKREFERENCE.test(token) ? Number.POSITIVE_INFINITY : 1, looks: 0, written: 1 }
}

function closed({ isLook, parts }: Group): Part {
  const { looks, reads, written } = total(parts)
  return isLook
    ? { reads: 0, looks: reads + looks, written: written + 1 }
    : { reads, looks, written: written + 1 }
}

/** Each round of a repetition reads on in the text, so its lookarounds cost no more at one place of it. */
function repeated({ looks, reads, written }: Part, min: number, max: number): Part {
  return { reads: reads === 0 ? 0 : reads * max, looks, written: written * Math.max(min, 1) }
}

/** Alternatives as well: each may be tried. */
function total(parts: readonly Part[]): Part {
  return parts.reduce(
    (sum, part) => ({
      reads: sum.reads + part.reads,
      looks: sum.looks + part.looks,
      written: sum.written + part.written,
    }),
    NOTHING,
  )
}

function countsOf(quantifier: string): { readonly min: number; readonly max: number } {
  if (quantifier.startsWith('?')) return { min: 0, max: 1 }
  if (quantifier.startsWith('*')) return { min: 0, max: Number.POSITIVE_INFINITY }
  if (quantifier.startsWith('+')) return { min: 1, max: Number.POSITIVE_INFINITY }
  const [, least = '0', range, most = ''] = QUANTIFIER.exec(quantifier) ?? []
  const min = Number(least)
  if (range === undefined) return { min, max: min }
  return { min, max: most === '' ? Number.POSITIVE_INFINITY : Number(most) }
}
