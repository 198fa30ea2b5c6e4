/**
 * Reads that a function hands to the one that asks upstreams: of kept results, and of what upstreams
 * hold. Whether the caller may read is decided there, by the caller's credential. Bound by ADR 0127.
 */
import { readResultUri } from '../../archive/kept-result.ts'
import type { Credential } from '../../access/credential.ts'
import { readUpstreamUri } from '../../json/upstream-uris.ts'
import type { HandedReads } from '../../ports/handed-reads.ts'
import type { Reads } from './resource-sources.ts'

/** Hands on nothing of callers without a key, who may read none of it. */
export function openHandedReads(handedReads: HandedReads, credential: Credential): Reads {
  return {
    resources: [
      {
        read: async ({ principal }, uri) => {
          if (principal === undefined || !isElsewhere(uri)) return undefined
          return {
            kind: 'later',
            ask: () => handedReads.read(credential, { kind: 'resource', uri }),
          }
        },
      },
    ],
    prompts: {
      get: async ({ principal }, asked) => {
        if (principal === undefined || !asked.name.includes('_')) return undefined
        const prompt = { kind: 'prompt', name: asked.name, arguments: asked.arguments } as const
        return { kind: 'later', ask: () => handedReads.read(credential, prompt) }
      },
    },
  }
}

function isElsewhere(uri: string): boolean {
  return readResultUri(uri) !== undefined || readUpstreamUri(uri) !== undefined
}
