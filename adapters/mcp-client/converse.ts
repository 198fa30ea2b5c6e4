/**
 * One request to a server in the revision that it speaks. A server that has changed its revision,
 * or lost the session, refuses a request before anything runs: then the server is probed and gets
 * the request once more.
 */
import { err, ok, type Result } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { McpFault } from '../../core/ports/mcp-servers.ts'
import type { Upstream } from '../../core/ports/outside.ts'
import { type KeptPeers, namePeer } from './kept-peers.ts'
import { isModern, type Peer } from './peer.ts'
import { type PostTerms, postRpc, type RpcOutcome } from './post-rpc.ts'
import { probe } from './probe.ts'
import { type ClientInfo, type RpcCall, writeRequest } from './write-message.ts'

export type McpClient = {
  readonly upstream: Upstream
  readonly client: ClientInfo
  readonly peers: KeptPeers
  /** Sessions of servers that refused to send messages on a stream of their own. */
  readonly withoutStream: WeakSet<Peer>
  /** A new request id. */
  readonly newId: () => string
}

export type ConverseTerms = Omit<PostTerms, 'onMessage' | 'upstream'> & {
  /** Called before each send of the request, which waits for it. Must not reject. */
  readonly onSend?: (peer: Peer, id: string) => Promise<void>
  readonly onMessage?: (
    message: Parameters<NonNullable<PostTerms['onMessage']>>[0],
    peer: Peer,
  ) => void
}

export type Conversed = { readonly peer: Peer; readonly outcome: RpcOutcome }

/** A fault is of the probe; a fault of the request itself is in the outcome. */
export async function converse(
  mcp: McpClient,
  terms: ConverseTerms,
  call: RpcCall,
): Promise<Result<Conversed, McpFault>> {
  const { legacyCapabilities: capabilities = NO_CAPABILITIES } = call
  const name = namePeer(terms.server, capabilities)
  const known = await mcp.peers.find(name)
  if (known !== undefined) {
    const outcome = await post(mcp, terms, known, call)
    if (!isRefusedUnread(outcome, known)) {
      mcp.peers.keep(name, known)
      return ok({ peer: known, outcome })
    }
  }
  const { client, upstream } = mcp
  const { limits, server } = terms
  const found = await probe({ upstream, client, capabilities, limits, server })
  if (!found.ok) return err(found.error)
  const [outcome] = await Promise.all([
    post(mcp, terms, found.value, call),
    mcp.peers.share(name, found.value),
  ])
  return ok({ peer: found.value, outcome })
}

const NO_CAPABILITIES: JsonObject = {}

/** Sends the request to a server whose revision is known. */
export async function post(
  { client, newId, upstream }: McpClient,
  terms: ConverseTerms,
  peer: Peer,
  call: RpcCall,
): Promise<RpcOutcome> {
  const { onMessage, onSend, ...rest } = terms
  const id = newId()
  await onSend?.(peer, id)
  const listening =
    onMessage === undefined
      ? {}
      : { onMessage: (message: Parameters<typeof onMessage>[0]) => onMessage(message, peer) }
  return postRpc({ ...rest, upstream, ...listening }, writeRequest(peer, call, { client, id }), id)
}

const NOT_OVER_CODES: ReadonlySet<number> = new Set([-32601, -32602, -32021])
/** Codes with which servers refuse a message by its session or revision, before they read it. */
const REFUSAL_CODES: ReadonlySet<number> = new Set([-32000, -32001, -32600, -32020, -32022])

/**
 * True for refusals by status, which a server gives before it runs anything: 404 for a session that
 * is over, 400 from servers that say so with it, and both for a revision that is not spoken.
 */
function isRefusedUnread(outcome: RpcOutcome, peer: Peer): boolean {
  if (outcome.kind !== 'status' && outcome.kind !== 'error') return false
  const { status } = outcome.answer.response
  if (status !== 400 && status !== 404) return false
  if (outcome.kind === 'status') return true
  const { code } = outcome.error
  return status === 400 ? REFUSAL_CODES.has(code) : !isModern(peer) || !NOT_OVER_CODES.has(code)
}
