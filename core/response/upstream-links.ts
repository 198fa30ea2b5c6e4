/**
 * URIs of an MCP server in the content that it wrote. A resource that agents can read gets the URI
 * under which the gateway serves it; a link that leads nowhere becomes text. Web links stay. No URI
 * leads to another upstream or to what the gateway itself serves, whatever a server writes.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { isUiUri, toUpstreamUri } from '../json/upstream-uris.ts'
import type { McpTarget } from '../skills/skill.ts'

export type LinkTerms = Pick<McpTarget, 'hasResources' | 'upstreamId'>

/** Returns the content with the URIs here. Blocks of other kinds and forms stay as they are. */
export function rewriteLinks(content: Json | undefined, terms: LinkTerms): Json | undefined {
  if (!Array.isArray(content)) return content
  return content.map((block: Json) => (isJsonObject(block) ? rewriteBlock(block, terms) : block))
}

function rewriteBlock(block: JsonObject, terms: LinkTerms): JsonObject {
  const { resource, type, uri } = block
  if (type === 'resource_link' && typeof uri === 'string') return rewriteLink(block, uri, terms)
  if (type === 'resource' && isJsonObject(resource) && typeof resource['uri'] === 'string') {
    return { ...block, resource: { ...resource, uri: rewriteUri(resource['uri'], terms) } }
  }
  return block
}

function rewriteLink(block: JsonObject, uri: string, terms: LinkTerms): JsonObject {
  if (isWebUri(uri)) return block
  const { hasResources, upstreamId } = terms
  const isReadable = hasResources === true && upstreamId !== undefined
  const own = isReadable ? toUpstreamUri(upstreamId, uri) : undefined
  return own === undefined ? toText(block, uri) : { ...block, uri: own }
}

/** A model can still tell its user what the server named. */
function toText({ name, title }: JsonObject, uri: string): JsonObject {
  const shown = [title, name].find((one) => typeof one === 'string' && one !== '')
  return { type: 'text', text: shown === undefined ? uri : `${String(shown)}: ${uri}` }
}

/** No upstream has this id. */
const NO_UPSTREAM = '-'

/** The URI of a resource whose content is here, so a URI that cannot be read does no harm. */
export function rewriteUri(uri: string, { hasResources, upstreamId }: LinkTerms): string {
  const isOurs = uri.toLowerCase().startsWith('skillgate:') || isUiUri(uri)
  if (!isOurs && (hasResources !== true || isWebUri(uri))) return uri
  return toUpstreamUri(upstreamId ?? NO_UPSTREAM, uri) ?? 'urn:skillgate:unreadable'
}

function isWebUri(uri: string): boolean {
  return /^https?:\/\//i.test(uri)
}
