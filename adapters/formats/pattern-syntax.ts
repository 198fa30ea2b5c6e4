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

type Open = { readonly opens: string; readonly choices: PatternNode[]; parts: PatternNode[] }

export function parsePattern(pattern: string): Result<PatternNode, string> {
  const open: Open[] = [group('')]
  for (const [token] of pattern.matchAll(TOKEN)) {
    const wrong = readToken(token, open)
    if (wrong !== undefined) return err(wrong)
  }
  const [root] = open
  return ok(root === undefined ? sequence([]) : treeOf(root))
}

function readToken(token: string, open: Open[]): string | undefined {
  const here = open.at(-1)
  if (here === undefined) return undefined
  if (token.startsWith('(')) {
    if (hasFlags(token))
      return 'sets flags inside ("(?i:"), which is not supported; write both cases out'
    open.push(group(token))
  } else if (token === ')') {
    open.pop()
    open.at(-1)?.parts.push(closed(here))
  } else if (token === '|') {
    here.choices.push(sequence(here.parts))
    here.parts = []
  } else if (QUANTIFIER.test(token)) repeatLast(here, token)
  else if (/^\\(?:k<|[1-9])/.test(token)) {
    return 'refers back to a group, which can take forever; write the group out again'
  } else here.parts.push(single(token))
  return undefined
}

function single(token: string): PatternNode {
  if (token === '^') return { kind: 'start' }
  if (token === '$' || token === '\\b' || token === '\\B') return { kind: 'assertion', text: token }
  return { kind: 'letter', text: token }
}

function repeatLast(here: Open, token: string): void {
  const body = here.parts.pop()
  if (body === undefined) return
  here.parts.push({ kind: 'repeat', body, ...boundsOf(token) })
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
  const last = sequence(parts)
  return choices.length === 0 ? last : { kind: 'choice', parts: [...choices, last] }
}

function sequence(parts: readonly PatternNode[]): PatternNode {
  const [only, ...others] = parts
  return only !== undefined && others.length === 0 ? only : { kind: 'sequence', parts }
}

function hasFlags(opening: string): boolean {
  return /^\(\?[^:=!<]/.test(opening)
}

function group(opens: string): Open {
  return { opens, choices: [], parts: [] }
}
