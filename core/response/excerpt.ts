/**
 * Makes the excerpt of an upstream's answer to a failed call, which an administrator may read: the
 * first 2 KB without the call's secrets and arguments. Excerpts are stored for a week, and only if
 * the operator allows that (ADR 0048).
 */
import type { UpstreamResponse } from '../call/upstream.ts'
import type { Json } from '../json/json.ts'
import { makeArgumentMask } from './argument-mask.ts'
import type { Mask } from './mask.ts'
import { findBodyKind, readBodyText } from './read-body.ts'

/** UTF-8 bytes of an excerpt: enough for an error document. */
export const EXCERPT_BYTES_MAX = 2_048
/** Units of a character's longest usual spelling: each of its four bytes is `%2525F0`. */
const SPELLING_UNITS_MAX = 28
/** Adds the longest spelling of a 4 kB secret, because only a complete secret can be masked. */
const MASKED_BYTES = EXCERPT_BYTES_MAX + SPELLING_UNITS_MAX * 4_096

/**
 * Returns the excerpt; '' for an empty answer. If the answer is not text, or its arguments cannot
 * all be found, the excerpt has only the media type and the size.
 */
export function makeExcerpt(
  response: UpstreamResponse,
  { args, mask }: { readonly args: Json; readonly mask: Mask },
): string {
  const { body, charset, mediaType } = response
  if (body.length === 0) return ''
  const kind = findBodyKind(mediaType)
  const binary = `[${mediaType || 'no media type'}, ${body.length} bytes]`
  if (kind === 'binary' || kind === 'media') return binary
  const text = readBodyText({ body: body.subarray(0, MASKED_BYTES), charset }, false)
  const maskArguments = makeArgumentMask(args)
  if (maskArguments === undefined) return binary
  return text.ok ? cutToBytes(maskArguments(mask(text.value))) : binary
}

function cutToBytes(text: string): string {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= EXCERPT_BYTES_MAX) return text
  // A character that is cut in half becomes U+FFFD, which is removed.
  const start = new TextDecoder().decode(bytes.subarray(0, EXCERPT_BYTES_MAX - 3))
  return `${start.replace(/\uFFFD+$/, '')}…`
}
