/**
 * How to speak to each server, kept for later calls: in this process, and sealed in a store that
 * processes share. An entry counts for one server, one credential and one user: a session may hold
 * what its user did, so users never share one, even where they share a credential.
 */
import { keepYoungest } from '../../core/cache/keep-youngest.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { McpServer } from '../../core/ports/mcp-servers.ts'
import type { Clock, Digests, Seals } from '../../core/ports/outside.ts'
import type { UpstreamSessions } from '../../core/ports/upstream-sessions.ts'
import type { Peer } from './peer.ts'

/** How long an answer about a server's revision counts. */
export const PEER_MS_MAX = 3_600_000
/** How long a session counts; servers end idle ones. */
export const SESSION_MS_MAX = 600_000
/** Entries of a process, a few hundred bytes each. */
export const PEERS_MAX = 1_000

export type KeptPeers = {
  find(name: string): Promise<Peer | undefined>
  /** Shares a new answer with other processes. Never rejects: without it, they probe themselves. */
  share(name: string, peer: Peer): Promise<void>
  /** A session counts from its last use in this process. */
  keep(name: string, peer: Peer): void
}

export type SharedSessions = {
  readonly sessions: UpstreamSessions
  readonly digests: Pick<Digests, 'sha256'>
  readonly seals: Seals
}

export function keepPeers(
  { nowMs }: Pick<Clock, 'nowMs'>,
  shared: SharedSessions | undefined,
): KeptPeers {
  const kept = new Map<string, { readonly peer: Peer; readonly untilMs: number }>()
  const keep = (name: string, peer: Peer) => {
    keepYoungest(kept, name, { peer, untilMs: nowMs() + findAgeMs(peer) }, PEERS_MAX)
  }
  return {
    find: async (name) => {
      const entry = kept.get(name)
      if (entry !== undefined && nowMs() < entry.untilMs) return entry.peer
      const peer = shared && (await readShared(shared, name, nowMs()))
      if (peer !== undefined) keep(name, peer)
      return peer
    },
    share: async (name, peer) => {
      keep(name, peer)
      if (shared !== undefined) await putShared(shared, name, peer, nowMs() + findAgeMs(peer))
    },
    keep,
  }
}

function findAgeMs({ sessionId }: Peer): number {
  return sessionId === undefined ? PEER_MS_MAX : SESSION_MS_MAX
}

/** The name of an entry. It contains the credential, so it is a secret. */
export function namePeer(
  { headers, signing, uid, url }: McpServer,
  capabilities: JsonObject,
): string {
  const sorted = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([url, uid, sorted, signing ?? null, capabilities])
}

const PURPOSE = 'upstream-session'

/** The name opens its entry, so whoever has the store alone opens none. */
async function readShared(
  { digests, seals, sessions }: SharedSessions,
  name: string,
  nowMs: number,
): Promise<Peer | undefined> {
  try {
    const sealed = await sessions.read(toId(digests, name), nowMs)
    return sealed && JSON.parse(seals.open(name, PURPOSE, sealed))
  } catch {
    // A store that is down, or an entry of another build: the server is probed.
    return undefined
  }
}

async function putShared(
  { digests, seals, sessions }: SharedSessions,
  name: string,
  peer: Peer,
  expiresAtMs: number,
): Promise<void> {
  try {
    const { sessionId, version } = peer
    const kept = sessionId === undefined ? { version } : { sessionId, version }
    const sealed = seals.seal(name, PURPOSE, JSON.stringify(kept))
    await sessions.put({ id: toId(digests, name), sealed, expiresAtMs })
  } catch {
    // A store that is down: other processes probe the server themselves.
  }
}

function toId(digests: Pick<Digests, 'sha256'>, name: string): string {
  return digests.sha256(`${PURPOSE}:${name}`)
}
