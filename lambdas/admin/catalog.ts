/**
 * GET /v1/catalog of the admin door: the public list of official tools for the page of the console,
 * which may ask its own origin alone. The answer is that of the function mcp. Bound by
 * docs/service.md, Catalog, and ADR 0150.
 */
import {
  type AdminAnswer,
  type AdminRequest,
  toRefusalAnswer,
} from '../../adapters/http/admin-kit.ts'
import { matchesTag } from '../../adapters/http/entity-tag.ts'
import { findHeader } from '../../adapters/http/request.ts'
import { listsForAnybody } from '../../core/flow/access/lists-for-anybody.ts'
import { type CatalogNeeds, openCatalogOf } from '../../core/flow/catalog/catalog.ts'
import { readSharedSkills } from '../../core/flow/tools/merge-tool-layers.ts'
import type { Settings } from '../../core/settings.ts'
import type { ReadConsoleFile } from './console.ts'

export type AnswerCatalog = (request: AdminRequest) => Promise<AdminAnswer>

/** API Gateway passes the path without its stage, `/v1`. */
const CATALOG_FORM = /^(?:\/v1)?\/catalog$/

export function isCatalogRequest({ path }: Pick<AdminRequest, 'path'>): boolean {
  return CATALOG_FORM.test(path)
}

/** Returns a function that answers without a credential, from one catalog. */
export function openCatalogAnswers(ports: CatalogNeeds, settings: Settings): AnswerCatalog {
  const catalog = openCatalogOf(ports, () => readSharedSkills(ports, settings))
  return async (request) => {
    if (!listsForAnybody(settings))
      return toRefusalAnswer({ code: 'not_found', detail: UNPUBLISHED })
    const { method, query } = request
    if (method !== 'GET' && method !== 'HEAD') {
      const detail = 'This path takes GET only: it is the public list of official tools.'
      return toRefusalAnswer({ code: 'method_not_allowed', detail }, { allow: 'GET, HEAD' })
    }
    const page = await catalog.page(query.get('cursor') ?? undefined)
    if (!page.ok) return toRefusalAnswer(page.error)
    const { etag, freshSec, text } = page.value
    const headers = { etag, 'cache-control': `public, max-age=${freshSec}` }
    if (matchesTag(findHeader(request, 'if-none-match'), etag)) {
      return { status: 304, body: undefined, headers }
    }
    const type = { 'content-type': 'application/json; charset=utf-8' }
    return {
      status: 200,
      body: method === 'HEAD' ? undefined : text,
      headers: { ...headers, ...type },
    }
  }
}

/**
 * Returns a reader whose page says where the catalogue is published. The console links to it there,
 * and asks for nothing elsewhere.
 */
export function markPublished(read: ReadConsoleFile, settings: Settings): ReadConsoleFile {
  if (!listsForAnybody(settings)) return read
  return async (name) => {
    const text = await read(name)
    return name === 'index.html' ? text?.replace(MARK_NONE, MARK_PUBLISHED) : text
  }
}

const MARK_NONE = '<meta name="catalogue" content="none">'
const MARK_PUBLISHED = '<meta name="catalogue" content="published">'

const UNPUBLISHED =
  'path: there is nothing here. This gateway lists its tools to callers who logged in.'
