/**
 * Lists the tools of an MCP server, and what it holds beside them, in a function that may call
 * upstreams, for one that may not. Bound by ADR 0123.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import type { McpFault, McpLimits, McpServer, McpServers } from '../../ports/mcp-servers.ts'
import type { ListingOrder, ToolListing } from '../../ports/mcp-upstreams.ts'
import { type Mask, maskJson } from '../../response/mask.ts'
import type { Settings } from '../../settings.ts'
import { HELD_KINDS, type HeldEntries, readHeld } from '../../skills/upstreams/held.ts'
import { UPSTREAM_LIST_BYTES_MAX } from '../../skills/upstreams/limits.ts'
import { NOBODY } from '../dry-run/report-secrets.ts'
import type { CircuitBreakers } from '../execute/circuit-breakers.ts'
import { type AskServerNeeds, askServer } from './ask-server.ts'

export type ListingNeeds = AskServerNeeds

/** Refuses with `malformed`: the two functions may be of different deployments. */
export function readListingOrder(body: Json): Result<ListingOrder> {
  const { definition, heldOf, uid } = isJsonObject(body) ? body : {}
  const isOfUser = uid === undefined || typeof uid === 'string'
  const listsHeld = heldOf === undefined || typeof heldOf === 'string'
  if (!isJsonObject(definition) || !isOfUser || !listsHeld)
    return refuse('malformed', 'body: must be {"definition", "uid"?, "heldOf"?}.')
  return ok({ definition, uid, ...(heldOf === undefined ? {} : { heldOf }) })
}

/** Refuses with `upstream_failed`, or with why a secret cannot be used. */
export async function answerListing(
  ports: ListingNeeds,
  settings: Settings,
  upstreams: CircuitBreakers,
  { definition, heldOf, uid }: ListingOrder,
): Promise<Result<ToolListing>> {
  const listed = await askServer<ToolListing>(ports, settings, upstreams, {
    definition,
    principal: { uid: uid ?? NOBODY, keyHash: '', sealingKey: '', username: '' },
    uid: uid ?? '',
    ask: async (server, { signal }) => {
      const limits = { signal, bytesMax: UPSTREAM_LIST_BYTES_MAX }
      const tools = await ports.mcpServers.list(server, 'tools', limits)
      if (!tools.ok || heldOf === undefined) return tools
      const held = await listHeld(ports.mcpServers, server, limits)
      return ok(held.ok ? { ...tools.value, held: readHeld(heldOf, held.value) } : tools.value)
    },
    refuse: () => undefined,
  })
  return listed.ok ? ok(maskListing(listed.value.value, listed.value.mask)) : listed
}

/** A server may repeat a credential in any text, and all users would read it. */
function maskListing(listing: ToolListing, mask: Mask): ToolListing {
  const { entries, held, instructions, serverInfo } = listing
  return {
    ...listing,
    entries: maskEntries(entries, mask),
    ...(held === undefined
      ? {}
      : {
          held: {
            ...held,
            resources: maskEntries(held.resources, mask),
            resourceTemplates: maskEntries(held.resourceTemplates, mask),
            prompts: maskEntries(held.prompts, mask),
          },
        }),
    ...(instructions === undefined ? {} : { instructions: mask(instructions) }),
    ...(serverInfo === undefined
      ? {}
      : { serverInfo: { name: mask(serverInfo.name), version: mask(serverInfo.version) } }),
  }
}

function maskEntries(entries: readonly JsonObject[], mask: Mask): readonly JsonObject[] {
  return entries.flatMap((entry) => {
    const masked = maskJson(entry, mask)
    return isJsonObject(masked) ? [masked] : []
  })
}

/** All three lists, or the first fault. One after the other: a server may take one at a time. */
async function listHeld(
  servers: McpServers,
  server: McpServer,
  limits: McpLimits,
): Promise<Result<HeldEntries, McpFault>> {
  const lists: { [kind: string]: HeldEntries['prompts'] } = {}
  for (const kind of HELD_KINDS) {
    const listed = await servers.list(server, kind, limits)
    if (!listed.ok) return listed
    lists[kind] = listed.value.entries
  }
  const { prompts = [], resourceTemplates = [], resources = [] } = lists
  return ok({ prompts, resourceTemplates, resources })
}
