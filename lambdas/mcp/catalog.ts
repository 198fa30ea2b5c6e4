/**
 * GET /catalog: lists the official tools for anybody, without a key, if the operator publishes
 * them. Bound by docs/service.md, Catalog, and RFC 9110 (ETag, If-None-Match).
 */
import { type AgentRequest, refuseWith } from '../../adapters/http/agent-door.ts'
import { answerEmpty, answerText } from '../../adapters/http/answer.ts'
import { matchesTag } from '../../adapters/http/entity-tag.ts'
import { findHeader, readQuery } from '../../adapters/http/request.ts'
import { type Catalog, type CatalogNeeds, openCatalog } from '../../core/flow/catalog/catalog.ts'
import type { ToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import type { Settings } from '../../core/settings.ts'

/** Returns a function that answers requests from one catalog, which is kept between them. */
export function openCatalogDoor(
  ports: CatalogNeeds,
  settings: Settings,
  lists: ToolListCache,
): (request: AgentRequest) => Promise<void> {
  const catalog = openCatalog(ports, settings, lists)
  return (request) => answerCatalog(catalog, request)
}

async function answerCatalog(catalog: Catalog, request: AgentRequest): Promise<void> {
  const { cors, event, method, out } = request
  if (method !== 'GET' && method !== 'HEAD') {
    const detail = 'This path takes GET only: it is the public list of official tools.'
    return refuseWith(
      request,
      { code: 'method_not_allowed', detail },
      { allow: 'GET, HEAD, OPTIONS' },
    )
  }
  const page = await catalog.page(readQuery(event).get('cursor') ?? undefined)
  if (!page.ok) return refuseWith(request, page.error)
  const { etag, freshSec, text } = page.value
  const headers = { ...cors, etag, 'cache-control': `public, max-age=${freshSec}` }
  if (matchesTag(findHeader(event, 'if-none-match'), etag)) return answerEmpty(out, 304, headers)
  const type = { 'content-type': 'application/json; charset=utf-8' }
  return answerText(out, 200, method === 'HEAD' ? '' : text, { ...headers, ...type })
}
