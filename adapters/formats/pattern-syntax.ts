/**
 * A regular expression of a schema (ECMA-262, `u` flag) as a tree, for whoever has to know how it can
 * match. Reads only what `new RegExp(…, 'u')` has accepted, so nothing here is a syntax error; refuses
 * what pattern-paths.ts cannot count: backreferences and groups with flags of their own.
 */
import { err, ok, type Result } from '../../core/errors.ts'

export type PatternNode =
  /** One character: a literal, an escape, a class or a dot. */
  | { readonly kind: 'letter'; readonly text: string }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly parts: readonly PatternNode[] }
  | {
      readonly kind: 'repeat'
      readonly body: PatternNode
      readonly min: number
      readonly max: number
      /** As it stands in the pattern. */
      readonly source: string
    }
  /** `^` */
  | { readonly kind: 'start' }
  /** `$`, `\b`, `\B` */
  | { readonly kind: 'assertion'; readonly text: string }
  /** Lookahead or lookbehind, negative ones too (`opens`): matched by itself, never entered again. */
  | { readonly kind: 'look'; readonly opens: string; readonly body: PatternNode }

/** A surrogate pair in two escapes, other escapes, classes, quantifiers, group openings, anything. */
const TOKEN =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|k<[^>]*>|[1-9]\d*|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|(?:[*+?]|\{\d+(?:,\d*)?\})\??|\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:))?|[\s\S]/gu
const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??$/
const LOOKS = new Set(['(?=', '(?!', '(?<=', '(?<!'])

/** `begins`: where it, and each of its parts, stands in the pattern. */
type Open = {
  readonly opens: string
  readonly begins: number
  readonly choices: PatternNode[]
  parts: { readonly node: PatternNode; readonly begins: number }[]
}

export function parsePattern(pattern: string): Result<PatternNode, string> {
  const open: Open[] = [group('', 0)]
  for (const { 0: token, index } of pattern.matchAll(TOKEN)) {
    const wrong = readToken(token, open, { pattern, index })
    if (wrong !== undefined) return err(wrong)
  }
  const [root] = open
  return ok(root === undefined ? sequence([]) : treeOf(root))
}

type At = { readonly pattern: string; readonly index: number }

function readToken(token: string, open: Open[], at: At): string | undefined {
  const here = open.at(-1)
  if (here === undefined) return undefined
  if (token.startsWith('(')) {
    if (hasFlags(token))
      return 'sets flags inside ("(?i:"), which is not supported; write both cases out'
    open.push(group(token, at.index))
  } else if (token === ')') {
    open.pop()
    open.at(-1)?.parts.push({ node: closed(here), begins: here.begins })
  } else if (token === '|') {
    here.choices.push(sequence(here.parts.map(({ node }) => node)))
    here.parts = []
  } else if (QUANTIFIER.test(token)) repeatLast(here, token, at)
  else if (/^\\(?:k<|[1-9])/.test(token)) {
    return 'refers back to a group, which can take forever; write the group out again'
  } else here.parts.push({ node: single(token), begins: at.index })
  return undefined
}

function single(token: string): PatternNode {
  if (token === '^') return { kind: 'start' }
  if (token === '$' || token === '\\b' || token === '\\B') return { kind: 'assertion', text: token }
  return { kind: 'letter', text: token }
}

function repeatLast(here: Open, token: string, { index, pattern }: At): void {
  const last = here.parts.pop()
  if (last === undefined) return
  const { begins, node: body } = last
  const source = pattern.slice(begins, index + token.length)
  here.parts.push({ node: { kind: 'repeat', body, source, ...boundsOf(token) }, begins })
}

function boundsOf(token: string): { min: number; max: number } {
  if (token.startsWith('?')) return { min: 0, max: 1 }
  if (token.startsWith('*')) return { min: 0, max: Number.POSITIVE_INFINITY }
  if (token.startsWith('+')) return { min: 1, max: Number.POSITIVE_INFINITY }
  const [, least = '0', range, most = ''] = QUANTIFIER.exec(token) ?? []
  const min = Number(least)
  if (range === undefined) return { min, max: min }
  return { min, max: most === '' ? Number.POSITIVE_INFINITY : Number(most) }
}

/** A lookbehind is matched from its end to its beginning (ECMA-262 22.2.2.4). */
function closed(done: Open): PatternNode {
  const body = treeOf(done)
  if (!LOOKS.has(done.opens)) return body
  const { opens } = done
  return { kind: 'look', opens, body: opens.startsWith('(?<') ? backwards(body) : body }
}

function backwards(node: PatternNode): PatternNode {
  switch (node.kind) {
    case 'sequence':
      return { ...node, parts: node.parts.map(backwards).reverse() }
    case 'choice':
      return { ...node, parts: node.parts.map(backwards) }
    case 'repeat':
      return { ...node, body: backwards(node.body) }
    default:
      return node
  }
}

function treeOf({ choices, parts }: Open): PatternNode {
  const last = sequence(parts.map(({ node }) => node))
  return choices.length === 0 ? last : { kind: 'choice', parts: [...choices, last] }
}

function sequence(parts: readonly PatternNode[]): PatternNode {
  const [only, ...others] = parts
  return only !== undefined && others.length === 0 ? only : { kind: 'sequence', parts }
}

function hasFlags(opening: string): boolean {
  return /^\(\?[^:=!<]/.test(opening)
}

function group(opens: string, begins: number): Open {
  return { opens, begins, choices: [], parts: [] }
}

/** The repetitions in a tree, those inside first. */
export function* repeatsIn(node: PatternNode): Generator<PatternNode & { kind: 'repeat' }> {
  if (node.kind === 'sequence' || node.kind === 'choice') {
    for (const part of node.parts) yield* repeatsIn(part)
  }
  if (node.kind === 'look' || node.kind === 'repeat') yield* repeatsIn(node.body)
  if (node.kind === 'repeat') yield node
}
