/**
 * Parses the expressions of DynamoDB that the adapters use into trees. Conditions, key conditions
 * and filters share one grammar; updates have SET, REMOVE and ADD. Everything else is refused, so a
 * new kind of expression fails a test instead of being misread. compile-*.ts compile the trees.
 */
import { makeValidationError } from './refused.ts'

/** DynamoDB's limit of one expression, in bytes. */
export const EXPRESSION_BYTES_MAX = 4_096

export type Step = { readonly name: string } | { readonly index: number }
export type Path = readonly Step[]

export type Operand =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly name: string }
  | { readonly kind: 'size'; readonly path: Path }
  | { readonly kind: 'append' | 'plus' | 'minus'; readonly a: Operand; readonly b: Operand }
  | { readonly kind: 'or-else'; readonly path: Path; readonly otherwise: Operand }

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly a: Condition; readonly b: Condition }
  | { readonly kind: 'not'; readonly of: Condition }
  | {
      readonly kind: 'compare'
      readonly by: string
      readonly a: Operand
      readonly b: Operand
    }
  | { readonly kind: 'between'; readonly of: Operand; readonly from: Operand; readonly to: Operand }
  | { readonly kind: 'exists' | 'absent'; readonly path: Path }
  | { readonly kind: 'begins' | 'contains'; readonly of: Operand; readonly what: Operand }

type Set = { readonly path: Path; readonly to: Operand }
type Add = { readonly path: Path; readonly value: string }
export type Update = {
  readonly set: readonly Set[]
  readonly remove: readonly Path[]
  readonly add: readonly Add[]
}

/**
 * Throws `RefusedRequest` for a text outside the grammar, as the other two parsers of this file do.
 */
export function parseCondition(text: string): Condition {
  const tokens = readTokens(text)
  const condition = parseOr(tokens)
  tokens.end()
  return condition
}

/** Accepts the clauses in any order. */
export function parseUpdate(text: string): Update {
  const tokens = readTokens(text)
  const update: { set: Set[]; remove: Path[]; add: Add[] } = { set: [], remove: [], add: [] }
  while (tokens.peek() !== '') {
    if (tokens.skip('SET')) update.set.push(...parseList(tokens, () => parseSet(tokens)))
    else if (tokens.skip('REMOVE')) update.remove.push(...parseList(tokens, () => path(tokens)))
    else if (tokens.skip('ADD')) update.add.push(...parseList(tokens, () => parseAdd(tokens)))
    else tokens.end()
  }
  return update
}

export function parseProjection(text: string): readonly Path[] {
  const tokens = readTokens(text)
  const paths = parseList(tokens, () => path(tokens))
  tokens.end()
  return paths
}

type Tokens = {
  peek(): string
  take(): string
  /** Takes the token if it comes next. */
  skip(token: string): boolean
  want(token: string): void
  end(): void
}

function readTokens(text: string): Tokens {
  if (Buffer.byteLength(text) > EXPRESSION_BYTES_MAX) {
    throw makeValidationError(
      'Invalid expression: Expression size has exceeded the maximum allowed size',
    )
  }
  const all = text.match(/#\w+|:\w+|\w+|<>|<=|>=|[=<>(),.[\]+-]|\S/g) ?? []
  let at = 0
  const peek = () => all[at] ?? ''
  const unexpected = () =>
    makeValidationError(`this store knows no expression ${text}: at ${peek()}`)
  const skip = (token: string) => {
    if (peek() !== token) return false
    at += 1
    return true
  }
  return {
    peek,
    take: () => {
      at += 1
      return all[at - 1] ?? ''
    },
    skip,
    want: (token) => {
      if (!skip(token)) throw unexpected()
    },
    end: () => {
      if (at < all.length) throw unexpected()
    },
  }
}

function parseOr(tokens: Tokens): Condition {
  let a = parseAnd(tokens)
  while (tokens.skip('OR')) a = { kind: 'or', a, b: parseAnd(tokens) }
  return a
}

function parseAnd(tokens: Tokens): Condition {
  let a = parseNot(tokens)
  while (tokens.skip('AND')) a = { kind: 'and', a, b: parseNot(tokens) }
  return a
}

function parseNot(tokens: Tokens): Condition {
  if (tokens.skip('NOT')) return { kind: 'not', of: parseNot(tokens) }
  if (tokens.skip('(')) {
    const inner = parseOr(tokens)
    tokens.want(')')
    return inner
  }
  return tokens.peek() in CALLS ? parseCall(tokens) : parseComparison(tokens)
}

const CALLS = {
  attribute_exists: 'exists',
  attribute_not_exists: 'absent',
  begins_with: 'begins',
  contains: 'contains',
} as const

function parseCall(tokens: Tokens): Condition {
  const name = tokens.take() as keyof typeof CALLS
  tokens.want('(')
  const made = parseArguments(tokens, CALLS[name])
  tokens.want(')')
  return made
}

function parseArguments(
  tokens: Tokens,
  kind: 'exists' | 'absent' | 'begins' | 'contains',
): Condition {
  if (kind === 'exists' || kind === 'absent') return { kind, path: path(tokens) }
  const of = parseOperand(tokens)
  tokens.want(',')
  return { kind, of, what: parseOperand(tokens) }
}

function parseComparison(tokens: Tokens): Condition {
  const a = parseOperand(tokens)
  if (tokens.skip('BETWEEN')) {
    const from = parseOperand(tokens)
    tokens.want('AND')
    return { kind: 'between', of: a, from, to: parseOperand(tokens) }
  }
  const by = tokens.take()
  if (!['=', '<>', '<', '<=', '>', '>='].includes(by))
    throw makeValidationError(`this store knows no comparison ${by}`)
  return { kind: 'compare', by, a, b: parseOperand(tokens) }
}

function parseOperand(tokens: Tokens): Operand {
  if (tokens.peek().startsWith(':')) return { kind: 'value', name: tokens.take() }
  if (tokens.skip('size')) {
    tokens.want('(')
    const of = path(tokens)
    tokens.want(')')
    return { kind: 'size', path: of }
  }
  return { kind: 'path', path: path(tokens) }
}

function path(tokens: Tokens): Path {
  const steps: Step[] = [{ name: parseName(tokens) }]
  for (;;) {
    if (tokens.skip('.')) steps.push({ name: parseName(tokens) })
    else if (tokens.skip('[')) {
      steps.push({ index: Number(tokens.take()) })
      tokens.want(']')
    } else return steps
  }
}

/** The adapters write every attribute as `#name`, so no reserved word breaks an expression. */
function parseName(tokens: Tokens): string {
  const name = tokens.take()
  if (!name.startsWith('#')) throw makeValidationError(`this store knows no name ${name}`)
  return name
}

function parseSet(tokens: Tokens): Set {
  const to = path(tokens)
  tokens.want('=')
  return { path: to, to: parseSum(tokens) }
}

function parseAdd(tokens: Tokens): Add {
  return { path: path(tokens), value: tokens.take() }
}

function parseSum(tokens: Tokens): Operand {
  const a = parseTerm(tokens)
  if (tokens.skip('+')) return { kind: 'plus', a, b: parseTerm(tokens) }
  if (tokens.skip('-')) return { kind: 'minus', a, b: parseTerm(tokens) }
  return a
}

function parseTerm(tokens: Tokens): Operand {
  if (tokens.skip('if_not_exists')) return parseIfNotExists(tokens)
  if (!tokens.skip('list_append')) return parseOperand(tokens)
  tokens.want('(')
  const a = parseOperand(tokens)
  tokens.want(',')
  const b = parseOperand(tokens)
  tokens.want(')')
  return { kind: 'append', a, b }
}

function parseIfNotExists(tokens: Tokens): Operand {
  tokens.want('(')
  const of = path(tokens)
  tokens.want(',')
  const otherwise = parseOperand(tokens)
  tokens.want(')')
  return { kind: 'or-else', path: of, otherwise }
}

function parseList<T>(tokens: Tokens, one: () => T): T[] {
  const all = [one()]
  while (tokens.skip(',')) all.push(one())
  return all
}
