/** POSTs to the endpoint, for the tests of the classifier. */
import type { Classification, PostedMessage, Single, Work } from '../../../core/mcp/classified.ts'
import { classify } from '../../../core/mcp/classify.ts'

type Headers = { readonly [name: string]: string }

export const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

export function posted(body: unknown, headers: Headers = {}): PostedMessage {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    body: body instanceof Uint8Array ? body : new TextEncoder().encode(text),
    header: (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined),
    headerNames: () => Object.keys(headers),
  }
}

export function classified(body: unknown, headers: Headers = {}): Classification {
  return classify(posted(body, headers))
}

export function workOf(body: unknown, headers: Headers = {}): Work {
  const classification = classified(body, headers)
  if (classification.kind !== 'request') throw new Error(`is ${JSON.stringify(classification)}`)
  return classification
}

export function request(method: string, params?: unknown, id: unknown = 1) {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }
}

/** A modern request as it should be; its headers are {@link modernHeaders}. */
export function modern(method: string, params: object = {}, meta: object = {}) {
  return request(method, { ...params, _meta: { ...MODERN_META, ...meta } })
}

export function modernHeaders(method: string, more: Headers = {}): Headers {
  return { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...more }
}

/** `refused 400 -32700`, `request 2025-03-26 ping`: what a row of a table compares. */
export function shortly(classification: Classification | Single): string {
  switch (classification.kind) {
    case 'refused':
      return `refused ${classification.status} ${classification.error.code} id ${classification.id}`
    case 'request':
      return `request ${classification.revision.version} ${classification.intent.kind}`
    case 'notification':
      return `notification ${classification.revision.version} ${classification.notice.kind}`
    case 'response':
      return `response ${classification.id}`
    case 'batch':
      return `batch ${classification.revision.version} of ${classification.items.length}`
    default:
      return classification satisfies never
  }
}
