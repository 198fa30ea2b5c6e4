/**
 * Writes the text that the model reads about a failed upstream answer: one short line without
 * markup and without secrets. It quotes the upstream's own words, which often say what to change.
 */
import { FAILURE_TEXT_CHARS_MAX } from '../call/limits.ts'
import type { UpstreamResponse } from '../call/upstream.ts'
import type { Mask } from './mask.ts'
import { findBodyKind, readBodyText } from './read-body.ts'

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Characters of an HTML page that are read. Error pages name the error near the top. */
const PAGE_CHARS_MAX = 20_000

export type UpstreamFailure = {
  readonly detail: string
  /** The upstream's answer was readable and said that the call failed. */
  readonly isReported?: true
}

/** Describes an answer whose status is not a success. */
export function writeBadStatus(response: UpstreamResponse, mask: Mask): string {
  const { status } = response
  const answered = `The upstream answered ${status}`
  if (REDIRECTS.has(status)) return `${answered}, a redirect that was not followed.`
  const quote = quoteUpstream(response, mask)
  return quote === '' ? `${answered}.` : `${answered}. It said: ${quote}`
}

/**
 * Returns one line of at most {@link FAILURE_TEXT_CHARS_MAX} printable characters, for a prompt and
 * for clients' logs. The text is masked before it is cut, because a cut could leave half of a
 * secret.
 */
export function toQuote(text: string, mask: Mask): string {
  const line = toOneLine(mask(text))
  const chars = [...line.slice(0, FAILURE_TEXT_CHARS_MAX * 2)]
  return chars.length > FAILURE_TEXT_CHARS_MAX
    ? `${chars.slice(0, FAILURE_TEXT_CHARS_MAX).join('')}…`
    : line
}

/** Replaces white space, controls and invisible characters by single spaces. */
export function toOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
}

/** Quotes the upstream's answer; '' if it is not readable text. */
export function quoteUpstream(response: UpstreamResponse, mask: Mask): string {
  const kind = findBodyKind(response.mediaType)
  if (kind === 'binary' || kind === 'media') return ''
  const text = readBodyText(response, kind === 'unknown')
  if (!text.ok) return ''
  const isPage = /html/.test(response.mediaType)
  // The page is also masked before it is cut.
  return toQuote(isPage ? readPageText(mask(text.value)) : text.value, mask)
}

/**
 * Without an end tag, a script goes to the end of the page, so that the pattern cannot backtrack.
 */
function readPageText(html: string): string {
  return html
    .slice(0, PAGE_CHARS_MAX)
    .replace(/<(script|style)\b[\s\S]*?(?:<\/\1>|$)/gi, ' ')
    .replace(/<[^<>]*>/g, ' ')
}
