/** The words and signs of an expression, one after another. */
import { invalid } from './refused.ts'

/** DynamoDB's limit of one expression, in bytes. */
export const EXPRESSION_BYTES_MAX = 4_096

export type Tokens = {
  peek(): string
  take(): string
  /** Takes the token if it comes next. */
  skip(token: string): boolean
  want(token: string): void
  end(): void
}

export function tokensOf(text: string): Tokens {
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
