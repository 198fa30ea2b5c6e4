/** Ports for MCP servers whose tools are skills: their records, and their lists of tools. */
import type { Principal } from '../access/principal.ts'
import type { Result } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import type { HeldListing } from '../skills/upstreams/held.ts'
import type { McpUpstream, OfferedTool } from '../skills/upstreams/upstream.ts'
import type { McpListing } from './mcp-servers.ts'

export type McpUpstreams = {
  /** Strongly consistent. */
  get(id: string): Promise<McpUpstream | undefined>
  /** All, by id; strongly consistent. */
  list(): Promise<readonly McpUpstream[]>
  /** Writes the record if the stored version is `ifVersion` (0 for none). False if it is not. */
  put(upstream: McpUpstream, ifVersion: number): Promise<boolean>
  /** Removes the record if it still has this version. */
  remove(id: string, ifVersion: number): Promise<boolean>
  /** Tools that wait, by name; strongly consistent. */
  offers(id: string): Promise<readonly OfferedTool[]>
  /** Replaces the offer of the same tool. Only who has the upstream's lease may call it. */
  putOffer(id: string, offer: OfferedTool): Promise<void>
  /** Repeatable. Only who has the upstream's lease may call it. */
  dropOffer(id: string, tool: string): Promise<void>
  /** What the last listing held beside tools; undefined for none. May be some seconds old. */
  held(id: string): Promise<HeldListing | undefined>
  /** Replaces it. Only who has the upstream's lease may call it. */
  putHeld(id: string, held: HeldListing): Promise<void>
  /** Repeatable. Only who has the upstream's lease may call it. */
  dropHeld(id: string): Promise<void>
}

export type ListingOrder = {
  /** A skill that calls the server: its endpoint, credential, headers and limits are used. */
  readonly definition: JsonObject
  /** Whose secrets are used; undefined: shared secrets alone. */
  readonly uid: string | undefined
  /** The upstream whose resources, templates and prompts are listed as well. */
  readonly heldOf?: string
}

/** `held` is absent if it was not asked for, or if a list of it could not be had. */
export type ToolListing = McpListing & { readonly held?: HeldListing }

/** Lists of MCP servers, for functions that call no upstream. */
export type McpListings = {
  /**
   * The tools of the server. Refuses in words for an administrator: `upstream_failed`, or why a
   * secret cannot be used. Throws `Fault` if the function that lists does not answer.
   */
  tools(order: ListingOrder): Promise<Result<ToolListing>>
}

export type ReadingOrder = {
  readonly upstream: McpUpstream
  /** Whose secrets are used. */
  readonly principal: Principal
  readonly method: 'resources/read' | 'prompts/get'
  readonly params: JsonObject
}

/** Reads of what MCP servers hold, as calls of their tools: with secrets, breakers and deadline. */
export type McpReadings = {
  /**
   * The result as the server sent it, without the secrets of the request. Refuses with
   * `upstream_failed`, `not_found` for what the server does not have, `invalid_arguments`, or why a
   * secret cannot be used.
   */
  read(order: ReadingOrder): Promise<Result<JsonObject>>
}
