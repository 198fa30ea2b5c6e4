/**
 * Judges requests of the console by the routes of which the OpenAPI documents are made. Values and
 * bodies are judged by the gateway, which refuses what does not fit the same schemas.
 */
import { findRoute } from '../../lambdas/admin/find-route.ts'
import { findUserRoute } from '../../lambdas/admin/me/answer-user.ts'
import { isUserPath } from '../../lambdas/admin/me/user-route.ts'

/** Paths of the console's own origin that are in no document: its files and its sign-in. */
const OWN = /^\/v1\/(?:console(?:\/|$)|catalog$)/

/** Returns what the documents do not have of a request; undefined if they have all of it. */
export function findRequestFault(method: string, url: URL): string | undefined {
  if (OWN.test(url.pathname)) return undefined
  const find = isUserPath(url.pathname) ? findUserRoute : findRoute
  const found = find(method, url.pathname)
  if (!found.ok) return `no document has ${method} ${url.pathname}`
  const known = Object.keys(Object(found.value.querySchema['properties']))
  const unknown = [...url.searchParams.keys()].filter((name) => !known.includes(name))
  return unknown.length === 0
    ? undefined
    : `${method} ${url.pathname}: the document has no ${unknown.join(', ')}`
}
