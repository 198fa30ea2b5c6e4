/**
 * Kept results as resources: `skillgate://results/{id}`, for the user whose call made them. They
 * are in no list, since a result names its own link. Bound by ADR 0122 and ADR 0126.
 */
import { readResultUri } from '../../archive/kept-result.ts'
import { encodeBase64 } from '../../json/base64.ts'
import type { KeptResults } from '../../ports/kept-results.ts'
import { isTextType } from '../../response/answer-data.ts'
import type { ReadSource } from './resource-source.ts'

/** Bytes of a kept result that is answered whole; longer ones are read by parts. */
export const KEPT_RESOURCE_BYTES_MAX = 1_000_000

export function openKeptResultSource(
  keptResults: Pick<KeptResults, 'read'>,
  { prefix }: { readonly prefix: string },
): ReadSource {
  return {
    read: async ({ principal }, uri) => {
      const uid = principal?.uid
      const resultId = readResultUri(uri)
      if (uid === undefined || resultId === undefined) return undefined
      const bytesMax = KEPT_RESOURCE_BYTES_MAX
      const kept = await keptResults.read({ uid, resultId, from: 0, bytesMax })
      if (kept === undefined) return undefined
      const { bytes, mimeType, totalBytes } = kept
      if (totalBytes > bytesMax) {
        const message = `has ${totalBytes} bytes, over ${bytesMax}; read it by parts with ${prefix}_read_result`
        return { kind: 'too-large', message }
      }
      const text = isTextType(mimeType) ? decode(bytes) : undefined
      const content = text === undefined ? { blob: encodeBase64(bytes) } : { text }
      return { kind: 'content', content: { uri, mimeType, ...content } }
    },
  }
}

/** Undefined for bytes that are not UTF-8, whatever their type says. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // A fatal decoder has one error, so the cause adds nothing.
    return undefined
  }
}
