/**
 * Whether a regular expression of a schema may be run on arguments. A backtracking engine has no
 * time limit, so what takes exponential time is refused: a repeated group with a repetition inside,
 * `(a+)+`, unless a delimiter tells where each round begins or ends, `(-[a-z]+)*`. Not complete:
 * ambiguous alternatives, `(a|a)*`, and polynomial patterns, `\s*\s*$`, pass; the registry's own
 * check will have to judge those.
 */
import type { Json } from '../../core/json/json.ts'

/** UTF-16 units. */
export const PATTERN_CHARS_MAX = 512

/** Undefined when the pattern can be used. */
export function patternFault(value: Json): string | undefined {
  if (typeof value !== 'string') return 'must be a string'
  if (value.length > PATTERN_CHARS_MAX) {
    return `has ${value.length} characters; shorten it to ${PATTERN_CHARS_MAX}`
  }
  if (compile(value) === undefined) return 'is not a regular expression (ECMA-262 with the u flag)'
  return repeatsRepetition(value)
    ? 'repeats a group that repeats something inside, which can take forever; unnest it'
    : undefined
}

type Item = { readonly text: string; readonly isOwn: boolean; isQuantified: boolean }
/** A group as read so far; `items` are the single things in it and in the groups inside it. */
type Group = { readonly items: Item[]; repeats: boolean; alternates: boolean }

/** Escapes, classes, quantifiers in braces and group openings are one thing each. */
const TOKEN =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|k<[^>]*>|.)|\[(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?|[\s\S]/gu
const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\})$/
/** `{3}` and `?` do not multiply the ways to match; these do. */
const REPETITION = /^(?:[*+]|\{\d+,\d*\})$/
const LITERAL = /^(?:[^\\.^$[]|\\[^\p{L}\p{N}])$/u

function repeatsRepetition(pattern: string): boolean {
  const open: Group[] = [newGroup()]
  let closed: Group | undefined
  for (const [token] of pattern.matchAll(TOKEN)) {
    if (REPETITION.test(token) && closed?.repeats === true && !isDelimited(closed)) return true
    closed = readToken(token, open)
  }
  return false
}

/** The group that `token` closes, if it does. */
function readToken(token: string, open: Group[]): Group | undefined {
  const group = open.at(-1) ?? newGroup()
  if (token.startsWith('(')) open.push(newGroup())
  else if (token === ')') return closeGroup(open)
  else if (token === '|') group.alternates = true
  else if (QUANTIFIER.test(token)) quantify(group, token)
  else group.items.push({ text: token, isOwn: true, isQuantified: false })
  return undefined
}

function closeGroup(open: Group[]): Group | undefined {
  const closed = open.pop()
  const around = open.at(-1)
  if (closed === undefined || around === undefined) return undefined
  around.items.push(...closed.items.map((item) => ({ ...item, isOwn: false })))
  around.repeats ||= closed.repeats
  return closed
}

function quantify(group: Group, token: string): void {
  const last = group.items.at(-1)
  if (last !== undefined) last.isQuantified = true
  group.repeats ||= REPETITION.test(token)
}

/** A literal that is always first, or always last, and that nothing else in the group matches. */
function isDelimited(group: Group): boolean {
  if (group.alternates) return false
  return [group.items.at(0), group.items.at(-1)].some(
    (edge) =>
      edge?.isOwn === true &&
      !edge.isQuantified &&
      LITERAL.test(edge.text) &&
      group.items.every((item) => item === edge || !mayMatch(item.text, edge.text)),
  )
}

function mayMatch(atom: string, literal: string): boolean {
  const character = literal.startsWith('\\') ? literal.slice(1) : literal
  return compile(`^(?:${atom})$`)?.test(character) ?? true
}

function newGroup(): Group {
  return { items: [], repeats: false, alternates: false }
}

function compile(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, 'u')
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}
