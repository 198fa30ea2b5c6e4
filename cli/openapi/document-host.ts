/**
 * Completes servers without a host, such as `/v2`: they are on the host that the document came
 * from. Bound by OpenAPI 3.1, Server Object, and Swagger 2.0, `host` and `schemes`.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'

/** Returns the document with absolute servers; `from` is the document's own URL. */
export function withHost(document: JsonObject, from: URL): JsonObject {
  if (document['swagger'] !== undefined) {
    const { host = from.host, schemes = [from.protocol.replace(':', '')] } = document
    return { ...document, host, schemes }
  }
  const servers = document['servers'] ?? [{ url: '/' }]
  const { paths } = document
  if (!isJsonObject(paths)) return { ...document, servers: completeServers(servers, from) }
  const items = Object.entries(paths).map(([path, item]): [string, Json] => [
    path,
    completeItem(item, from),
  ])
  return { ...document, servers: completeServers(servers, from), paths: Object.fromEntries(items) }
}

/** Completes the servers of a path item and of each operation in it. */
function completeItem(item: Json, from: URL): Json {
  if (!isJsonObject(item)) return item
  const members = Object.entries(item).map(([name, member]): [string, Json] => {
    if (name === 'servers') return [name, completeServers(member, from)]
    if (!isJsonObject(member) || member['servers'] === undefined) return [name, member]
    return [name, { ...member, servers: completeServers(member['servers'], from) }]
  })
  return Object.fromEntries(members)
}

/**
 * Makes the URLs of servers absolute. The URLs are joined as texts, because `URL` would change
 * variables in them.
 */
function completeServers(servers: Json, from: URL): Json {
  if (!Array.isArray(servers)) return servers
  const list: readonly Json[] = servers.length === 0 ? [{ url: '/' }] : servers
  return list.map((server) => {
    if (!isJsonObject(server) || typeof server['url'] !== 'string') return server
    const url = server['url'].trim()
    if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|\{)/i.test(url)) return server
    const folder = from.pathname.replace(/[^/]*$/, '')
    const path = url.startsWith('/') ? url : `${folder}${url.replace(/^\.\//, '')}`
    return { ...server, url: `${from.origin}${path}` }
  })
}
