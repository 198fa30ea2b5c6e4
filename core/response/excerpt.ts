/**
 * The excerpt of an upstream's answer to a failed call that an administrator may read: its first 2 KB, without
 * the secrets and the arguments of the call. Kept for a week and only where the operator lets it (ADR 0048).
 */

import type { UpstreamResponse } from '../call/upstream.ts'
import type { Json } from '../json/json.ts'
import { argumentMask } from './argument-mask.ts'
import type { Mask } from './mask.ts'
import { bodyKind, readBodyText } from './read-body.ts'

/** UTF-8 bytes, enough for an error document. */
export const EXCERPT_BYTES_MAX = 2_048
/** Bytes of one character's longest usual spelling: each of its four bytes as `%2525F0`. */
const SPELLING_UNITS_MAX = 28
/** The longest spelling of a secret of 4 kB: masking needs each secret whole, even at the cut. */
const MASKED_BYTES = EXCERPT_BYTES_MAX + SPELLING_UNITS_MAX * 4_096

/** '' for an empty answer; the type and size of one that is not text, or whose arguments cannot be found. */
export function excerptOf(
  response: UpstreamResponse,
  { args, mask }: { readonly args: Json; readonly mask: Mask },
): string {
  const { body, charset, mediaType } = response
  if (body.length === 0) return ''
  const kind = bodyKind(mediaType)
  const binary = `[${mediaType || 'no media type'}, ${body.length} bytes]`
  if (kind === 'binary' || kind === 'media') return binary
  const text = readBodyText({ body: body.subarray(0, MASKED_BYTES), charset }, false)
  const arguing = argumentMask(args)
  if (arguing === undefined) return binary
  return text.ok ? cut(arguing(mask(text.value))) : binary
}

function cut(text: string): string {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= EXCERPT_BYTES_MAX) return text
  // A character that the cut halves becomes U+FFFD, which is dropped.
  const start = new TextDecoder().decode(bytes.subarray(0, EXCERPT_BYTES_MAX - 3))
  return `${start.replace(/\uFFFD+$/, '')}…`
}
