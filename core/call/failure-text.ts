/**
 * What the model reads of an answer that is no result: one line, short, without markup and without
 * secrets. What the upstream said is quoted, since it often says what to change.
 */
import { FAILURE_TEXT_CHARS_MAX } from './limits.ts'
import type { Mask } from './mask.ts'
import { bodyKind, readBodyText } from './read-body.ts'
import type { UpstreamResponse } from './upstream.ts'

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Of a page that is searched for what it says: error pages say it early. */
const PAGE_CHARS_MAX = 20_000

export type UpstreamFailure = { readonly detail: string }

/** For a status that is no success. */
export function badStatusText(response: UpstreamResponse, mask: Mask): string {
  const { status } = response
  const answered = `The upstream answered ${status}`
  if (REDIRECTS.has(status)) return `${answered}, a redirect that was not followed.`
  const said = saidText(response, mask)
  return said === '' ? `${answered}.` : `${answered}. It said: ${said}`
}

/**
 * One line of printable characters, at most {@link FAILURE_TEXT_CHARS_MAX} of them: it goes into a
 * prompt and into logs of clients. Masked first, since cutting could leave half a secret.
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

function saidText(response: UpstreamResponse, mask: Mask): string {
  const kind = bodyKind(response.mediaType)
  if (kind === 'binary' || kind === 'media') return ''
  const text = readBodyText(response, kind === 'unknown')
  if (!text.ok) return ''
  const isPage = /html/.test(response.mediaType)
  // Masked before a page is cut, too.
  return quotable(isPage ? pageText(mask(text.value)) : text.value, mask)
}

/** An end that is missing is the end of the page, so that no start is tried in vain. */
function pageText(html: string): string {
  return html
    .slice(0, PAGE_CHARS_MAX)
    .replace(/<(script|style)\b[\s\S]*?(?:<\/\1>|$)/gi, ' ')
    .replace(/<[^<>]*>/g, ' ')
}
