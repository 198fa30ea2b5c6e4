/**
 * POST /v1/execute/listing: lists the tools of an MCP server, for the functions admin and sweep
 * alone: an order names a user without the user's key. Bound by ADR 0123.
 */
import { type AgentRequest, refuseWith } from '../../adapters/http/agent-door.ts'
import { answerJson } from '../../adapters/http/answer.ts'
import {
  checkJsonType,
  REQUEST_BODY_BYTES_MAX,
  readBodyBytes,
} from '../../adapters/http/request.ts'
import type { Result } from '../../core/errors.ts'
import type { ExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import {
  answerListing,
  type ListingNeeds,
  readListingOrder,
} from '../../core/flow/upstreams/answer-listing.ts'
import type { Json } from '../../core/json/json.ts'
import { parseText } from '../../core/json/parse-json.ts'
import { readText } from '../../core/json/read-text.ts'
import type { McpListings } from '../../core/ports/mcp-upstreams.ts'
import type { Settings } from '../../core/settings.ts'

export type ListingHost = {
  readonly ports: ListingNeeds
  readonly settings: Settings
  readonly caches: Pick<ExecuteCaches, 'upstreams'>
}

/** Lists in this process. */
export function listingsHere({ caches, ports, settings }: ListingHost): McpListings {
  return { tools: (order) => answerListing(ports, settings, caches.upstreams, order) }
}

/** Answers with the list, or with a refusal. */
export async function sendListing(host: ListingHost, request: AgentRequest): Promise<void> {
  const json = readJson(request)
  const order = json.ok ? readListingOrder(json.value) : json
  if (!order.ok) return refuseWith(request, order.error)
  const listed = await listingsHere(host).tools(order.value)
  if (!listed.ok) return refuseWith(request, listed.error)
  return answerJson(request.out, 200, listed.value)
}

/** The body of a request of another function. */
export function readJson({ event }: AgentRequest): Result<Json> {
  const type = checkJsonType(event)
  if (!type.ok) return type
  const body = readBodyBytes(event, { bytesMax: REQUEST_BODY_BYTES_MAX })
  const text = body.ok ? readText(body.value) : body
  return text.ok ? parseText(text.value) : text
}
