/**
 * How to speak to each server, kept for later calls of this process. An entry counts for one
 * server, one credential and one user: a session may hold what its user did, so users never share
 * one, even where they share a credential.
 */
import { keepYoungest } from '../../core/cache/keep-youngest.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { McpServer } from '../../core/ports/mcp-servers.ts'
import type { Peer } from './peer.ts'

/** How long an answer about a server's revision counts. */
export const PEER_MS_MAX = 3_600_000
/** How long a session counts after its last use; servers end idle ones. */
export const SESSION_MS_MAX = 600_000
/** Entries of a process, a few hundred bytes each. */
export const PEERS_MAX = 1_000

export type KeptPeers = {
  find(name: string): Peer | undefined
  keep(name: string, peer: Peer): void
}

export function keepPeers(nowMs: () => number): KeptPeers {
  const kept = new Map<string, { readonly peer: Peer; readonly untilMs: number }>()
  return {
    find: (name) => {
      const entry = kept.get(name)
      return entry !== undefined && nowMs() < entry.untilMs ? entry.peer : undefined
    },
    keep: (name, peer) => {
      const ageMs = peer.sessionId === undefined ? PEER_MS_MAX : SESSION_MS_MAX
      keepYoungest(kept, name, { peer, untilMs: nowMs() + ageMs }, PEERS_MAX)
    },
  }
}

/** The name of an entry. It contains the credential, so it is a secret. */
export function namePeer(
  { headers, signing, uid, url }: McpServer,
  capabilities: JsonObject,
): string {
  const sorted = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([url, uid, sorted, signing ?? null, capabilities])
}
