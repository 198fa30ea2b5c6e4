/**
 * The text that the model reads for a failed upstream answer: one short line without markup and
 * without secrets. The upstream's own words are quoted, since they often say what to change.
 */
import { FAILURE_TEXT_CHARS_MAX } from '../call/limits.ts'
import type { UpstreamResponse } from '../call/upstream.ts'
import type { Mask } from './mask.ts'
import { bodyKind, readBodyText } from './read-body.ts'

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Characters of an HTML page that are searched: error pages say what is wrong near the top. */
const PAGE_CHARS_MAX = 20_000

export type UpstreamFailure = {
  readonly detail: string
  /** The upstream itself said that the call failed: its answer could be read. */
  readonly isReported?: true
}

/** For an answer whose status is no success. */
export function badStatusText(response: UpstreamResponse, mask: Mask): string {
  const { status } = response
  const answered = `The upstream answered ${status}`
  if (REDIRECTS.has(status)) return `${answered}, a redirect that was not followed.`
  const quote = upstreamQuote(response, mask)
  return quote === '' ? `${answered}.` : `${answered}. It said: ${quote}`
}

/**
 * One line of printable characters, at most {@link FAILURE_TEXT_CHARS_MAX} of them: it goes into a
 * prompt and into clients' logs. Masked before it is cut, since cutting could leave half a secret.
 */
export function quotable(text: string, mask: Mask): string {
  const line = oneLine(mask(text))
  const chars = [...line.slice(0, FAILURE_TEXT_CHARS_MAX * 2)]
  return chars.length > FAILURE_TEXT_CHARS_MAX
    ? `${chars.slice(0, FAILURE_TEXT_CHARS_MAX).join('')}…`
    : line
}

export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
}

/** The upstream's own words, or '' when it sent none that can be read. */
export function upstreamQuote(response: UpstreamResponse, mask: Mask): string {
  const kind = bodyKind(response.mediaType)
  if (kind === 'binary' || kind === 'media') return ''
  const text = readBodyText(response, kind === 'unknown')
  if (!text.ok) return ''
  const isPage = /html/.test(response.mediaType)
  // Masked before the page is cut, for the same reason.
  return quotable(isPage ? pageText(mask(text.value)) : text.value, mask)
}

/** A missing end tag counts as the end of the page, so that the pattern never backtracks. */
function pageText(html: string): string {
  return html
    .slice(0, PAGE_CHARS_MAX)
    .replace(/<(script|style)\b[\s\S]*?(?:<\/\1>|$)/gi, ' ')
    .replace(/<[^<>]*>/g, ' ')
}
