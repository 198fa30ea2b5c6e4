/**
 * Servers without a host, such as `/v2`, are on the host that has the document. OpenAPI 3.1, Server Object; Swagger 2.0,
 * `host` and `schemes`.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'

/** The document with absolute servers; `from` is its own URL. */
export function withHost(document: JsonObject, from: URL): JsonObject {
  if (document['swagger'] !== undefined) {
    const { host = from.host, schemes = [from.protocol.replace(':', '')] } = document
    return { ...document, host, schemes }
  }
  const servers = document['servers'] ?? [{ url: '/' }]
  const { paths } = document
  if (!isJsonObject(paths)) return { ...document, servers: absolute(servers, from) }
  const items = Object.entries(paths).map(([path, item]): [string, Json] => [
    path,
    inItem(item, from),
  ])
  return { ...document, servers: absolute(servers, from), paths: Object.fromEntries(items) }
}

/** Of a path, and of each operation in it. */
function inItem(item: Json, from: URL): Json {
  if (!isJsonObject(item)) return item
  const members = Object.entries(item).map(([name, member]): [string, Json] => {
    if (name === 'servers') return [name, absolute(member, from)]
    if (!isJsonObject(member) || member['servers'] === undefined) return [name, member]
    return [name, { ...member, servers: absolute(member['servers'], from) }]
  })
  return Object.fromEntries(members)
}

/** URLs with variables are texts that `URL` would change, so they are put together as texts. */
function absolute(servers: Json, from: URL): Json {
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
