/**
 * The viewer function of a stage as CloudFront runs it: its code alone, in a realm without Node's
 * globals. Tests send it events of CloudFront's structure.
 */
import { createContext, Script } from 'node:vm'
import { makeViewerCode } from '../../../lib/edge/viewer-code.ts'
import type { Stage } from '../../../lib/stage.ts'

type Headers = { readonly [name: string]: { readonly value: string } }

export type ViewerRequest = {
  readonly method: string
  /** Without the query. */
  readonly uri: string
  /** Lower-case names. */
  readonly headers: { readonly [name: string]: string }
}

/** A request has `uri`, a response `statusCode`. */
export type ViewerResult = {
  readonly uri?: string
  readonly statusCode?: number
  readonly headers: { readonly [name: string]: string }
  readonly body?: string
}

/** `ip`: the address of every client. */
export function openViewer(
  stage: Stage,
  ip = '198.51.100.4',
): (request: ViewerRequest) => ViewerResult {
  const realm = createContext({})
  new Script(makeViewerCode(stage)).runInContext(realm)
  const run = new Script('JSON.stringify(handler(JSON.parse(event)))')
  return ({ headers, method, uri }) => {
    const request = { method, uri, querystring: {}, cookies: {}, headers: toFields(headers) }
    const context = { eventType: 'viewer-request', distributionId: 'E1', requestId: 'r' }
    Object.assign(realm, {
      event: JSON.stringify({ version: '1.0', context, viewer: { ip }, request }),
    })
    const made = JSON.parse(String(run.runInContext(realm)))
    return { ...made, headers: fromFields(made.headers), body: made.body?.data }
  }
}

function toFields(headers: { readonly [name: string]: string }): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { value }]))
}

function fromFields(headers: Headers): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(headers).map(([name, { value }]) => [name, value]))
}
