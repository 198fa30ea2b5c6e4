/**
 * Where the bytes of a kept result are, and for how long. The name of an object has the digest of
 * its owner, so that no id of another user leads to it. Bound by ADR 0122.
 *
 *   results/{sha256 of the uid}/{43 random characters}
 */
import type { Digests } from '../ports/outside.ts'

export const RESULTS_PREFIX = 'results/'

/** Bytes of randomness of an id: it cannot be guessed, and no two results share one. */
export const RESULT_ID_BYTES = 32
/** How long a result can be read: a model reads it within the conversation that made it. */
export const KEPT_RESULT_MS = 3_600_000
/** Bytes of one read of a kept result. */
export const KEPT_READ_BYTES_MAX = 4_000_000

const RESULT_ID = /^[A-Za-z0-9_-]{43}$/

/** Returns the object's name; undefined for a text that is no id. */
export function toKeptName(
  { sha256 }: Pick<Digests, 'sha256'>,
  { resultId, uid }: { readonly uid: string; readonly resultId: string },
): string | undefined {
  return RESULT_ID.test(resultId) ? `${RESULTS_PREFIX}${sha256(uid)}/${resultId}` : undefined
}

const URI = 'skillgate://results/'

export function toResultUri(resultId: string): string {
  return `${URI}${resultId}`
}

/** Returns the id in a URI that `toResultUri` wrote; undefined for any other text. */
export function readResultUri(uri: string): string | undefined {
  const resultId = uri.startsWith(URI) ? uri.slice(URI.length) : ''
  return RESULT_ID.test(resultId) ? resultId : undefined
}
