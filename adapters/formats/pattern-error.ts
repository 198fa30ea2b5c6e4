/**
 * Checks a regular expression of a schema, for the gateway and for clients that read the schema.
 */
import type { Json } from '../../core/json/json.ts'
import { splitPattern, translatePattern } from './re2-pattern.ts'

/** UTF-16 units of a pattern. */
export const PATTERN_CHARS_MAX = 512

/** Why the pattern cannot be stored; undefined if it can. */
export function findPatternError(value: Json): string | undefined {
  if (typeof value !== 'string') return 'must be a string'
  if (value.length > PATTERN_CHARS_MAX) {
    return `has ${value.length} characters; shorten it to ${PATTERN_CHARS_MAX}`
  }
  if (!isExpression(value)) return 'is not a regular expression (ECMA-262 with the u flag)'
  return setsFlags(value)
    ? 'sets flags inside ("(?i:"), which is not supported; write both cases out'
    : undefined
}

/** Why no text is checked against a valid pattern; undefined if texts are. */
export function findPatternNotice(pattern: string): string | undefined {
  const translation = translatePattern(pattern)
  if (translation.kind === 'searches') return undefined
  return `is listed, but no value is checked against it: ${translation.why}`
}

/** True for `(?i:…)` and similar groups, which a client's validator may not support. */
function setsFlags(pattern: string): boolean {
  return splitPattern(pattern).some((token) => /^\(\?[a-z-]/.test(token))
}

function isExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').source !== ''
  } catch (cause) {
    if (cause instanceof SyntaxError) return false
    throw cause
  }
}
