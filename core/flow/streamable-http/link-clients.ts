/**
 * The clients of revisions with a handshake that said they show links, as far as this environment
 * remembers: such a client says it once, at `initialize`, and there are no sessions. Another
 * environment does not know the client, and the link is then in the text of the result.
 */
import type { Credential } from '../../access/credential.ts'
import { keepYoungest } from '../../cache/keep-youngest.ts'
import type { RpcError } from '../../jsonrpc/message.ts'
import type { Revision } from '../../mcp/revision.ts'
import type { ToolOutcome } from '../tools/tool-outcome.ts'

/** Clients that are remembered, about 150 bytes each. */
export const LINK_CLIENTS_MAX = 1_000

export type LinkClients = {
  note(client: LinkClient, showsLinks: boolean): void
  shows(client: LinkClient): boolean
}

/** A client is known by its credential and its User-Agent. */
type LinkClient = { readonly credential: Credential; readonly client?: string | undefined }

export function createLinkClients(): LinkClients {
  const known = new Map<string, true>()
  return {
    note(client, showsLinks) {
      const key = toKey(client)
      if (key === undefined) return
      known.delete(key)
      if (showsLinks) keepYoungest(known, key, true, LINK_CLIENTS_MAX)
    },
    shows(client) {
      const key = toKey(client)
      return key !== undefined && known.has(key)
    },
  }
}

function toKey({ client = '', credential }: LinkClient): string | undefined {
  return credential.kind === 'key' ? `${credential.id}\n${client}` : undefined
}

/** Undefined unless the client shows links: the others get the link in the text of the result. */
export function findLinkError(
  clients: LinkClients,
  { results }: Revision,
  client: LinkClient,
  outcome: ToolOutcome,
): RpcError | undefined {
  const link = outcome.kind === 'result' ? outcome.link : undefined
  if (link === undefined || !clients.shows(client)) return undefined
  return results.showLink?.(link, `${link.message} ${link.url}`)
}
