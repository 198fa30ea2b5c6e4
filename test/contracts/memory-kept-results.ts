/** In-memory twin of the port KeptResults. */
import type { KeptResult, KeptResults } from '../../core/ports/kept-results.ts'
import type { Clock } from '../../core/ports/outside.ts'

export function memoryKeptResults({ nowMs }: Pick<Clock, 'nowMs'>): KeptResults {
  const results = new Map<string, KeptResult & { readonly bytes: Uint8Array }>()
  return {
    put: async (result) => {
      results.set(`${result.uid}\n${result.resultId}`, result)
    },
    read: async ({ bytesMax, from, resultId, uid }) => {
      const found = results.get(`${uid}\n${resultId}`)
      if (found === undefined || found.expiresAtMs <= nowMs()) return undefined
      const bytes = found.bytes.subarray(from, from + bytesMax)
      return { ...found, totalBytes: found.bytes.length, bytes }
    },
  }
}
