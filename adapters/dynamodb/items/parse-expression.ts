/**
 * The expressions of DynamoDB that the adapters use, as trees: conditions, key conditions and filters share one
 * grammar; updates have SET, REMOVE and ADD. Anything else is refused, so that a new kind of expression fails a test
 * before it is judged wrongly. compile-*.ts make functions of the trees, once for each text.
 */
import { invalid } from './refused.ts'

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

export function parseCondition(text: string): Condition {
  const tokens = tokensOf(text)
  const condition = or(tokens)
  tokens.end()
  return condition
}

/** The clauses come in any order. */
export function parseUpdate(text: string): Update {
  const tokens = tokensOf(text)
  const update: { set: Set[]; remove: Path[]; add: Add[] } = { set: [], remove: [], add: [] }
  while (tokens.peek() !== '') {
    if (tokens.skip('SET')) update.set.push(...separated(tokens, () => setIn(tokens)))
    else if (tokens.skip('REMOVE')) update.remove.push(...separated(tokens, () => path(tokens)))
    else if (tokens.skip('ADD')) update.add.push(...separated(tokens, () => addIn(tokens)))
    else tokens.end()
  }
  return update
}

export function parseProjection(text: string): readonly Path[] {
  const tokens = tokensOf(text)
  const paths = separated(tokens, () => path(tokens))
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

function tokensOf(text: string): Tokens {
  if (Buffer.byteLength(text) > EXPRESSION_BYTES_MAX) {
    throw invalid('Invalid expression: Expression size has exceeded the maximum allowed size')
  }
  const all = text.match(/#\w+|:\w+|\w+|<>|<=|>=|[=<>(),.[\]+-]|\S/g) ?? []
  let at = 0
  const peek = () => all[at] ?? ''
  const unexpected = () => invalid(`this store knows no expression ${text}: at ${peek()}`)
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

function or(tokens: Tokens): Condition {
  let a = and(tokens)
  while (tokens.skip('OR')) a = { kind: 'or', a, b: and(tokens) }
  return a
}

function and(tokens: Tokens): Condition {
  let a = not(tokens)
  while (tokens.skip('AND')) a = { kind: 'and', a, b: not(tokens) }
  return a
}

function not(tokens: Tokens): Condition {
  if (tokens.skip('NOT')) return { kind: 'not', of: not(tokens) }
  if (tokens.skip('(')) {
    const inner = or(tokens)
    tokens.want(')')
    return inner
  }
  return tokens.peek() in CALLS ? call(tokens) : comparison(tokens)
}

const CALLS = {
  attribute_exists: 'exists',
  attribute_not_exists: 'absent',
  begins_with: 'begins',
  contains: 'contains',
} as const

function call(tokens: Tokens): Condition {
  const name = tokens.take() as keyof typeof CALLS
  tokens.want('(')
  const made = argumentsOf(tokens, CALLS[name])
  tokens.want(')')
  return made
}

function argumentsOf(tokens: Tokens, kind: 'exists' | 'absent' | 'begins' | 'contains'): Condition {
  if (kind === 'exists' || kind === 'absent') return { kind, path: path(tokens) }
  const of = operand(tokens)
  tokens.want(',')
  return { kind, of, what: operand(tokens) }
}

function comparison(tokens: Tokens): Condition {
  const a = operand(tokens)
  if (tokens.skip('BETWEEN')) {
    const from = operand(tokens)
    tokens.want('AND')
    return { kind: 'between', of: a, from, to: operand(tokens) }
  }
  const by = tokens.take()
  if (!['=', '<>', '<', '<=', '>', '>='].includes(by))
    throw invalid(`this store knows no comparison ${by}`)
  return { kind: 'compare', by, a, b: operand(tokens) }
}

function operand(tokens: Tokens): Operand {
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
  const steps: Step[] = [{ name: nameOf(tokens) }]
  for (;;) {
    if (tokens.skip('.')) steps.push({ name: nameOf(tokens) })
    else if (tokens.skip('[')) {
      steps.push({ index: Number(tokens.take()) })
      tokens.want(']')
    } else return steps
  }
}

/** Every attribute is written as `#name` here: no reserved word can break an expression. */
function nameOf(tokens: Tokens): string {
  const name = tokens.take()
  if (!name.startsWith('#')) throw invalid(`this store knows no name ${name}`)
  return name
}

function setIn(tokens: Tokens): Set {
  const to = path(tokens)
  tokens.want('=')
  return { path: to, to: sum(tokens) }
}

function addIn(tokens: Tokens): Add {
  return { path: path(tokens), value: tokens.take() }
}

function sum(tokens: Tokens): Operand {
  const a = added(tokens)
  if (tokens.skip('+')) return { kind: 'plus', a, b: added(tokens) }
  if (tokens.skip('-')) return { kind: 'minus', a, b: added(tokens) }
  return a
}

function added(tokens: Tokens): Operand {
  if (tokens.skip('if_not_exists')) return orElse(tokens)
  if (!tokens.skip('list_append')) return operand(tokens)
  tokens.want('(')
  const a = operand(tokens)
  tokens.want(',')
  const b = operand(tokens)
  tokens.want(')')
  return { kind: 'append', a, b }
}

function orElse(tokens: Tokens): Operand {
  tokens.want('(')
  const of = path(tokens)
  tokens.want(',')
  const otherwise = operand(tokens)
  tokens.want(')')
  return { kind: 'or-else', path: of, otherwise }
}

function separated<T>(tokens: Tokens, one: () => T): T[] {
  const all = [one()]
  while (tokens.skip(',')) all.push(one())
  return all
}
