/**
 * The URL that an operation's path is added to: its own servers, else those of the path, else those of
 * the document; the first one with https, or the first. Variables are filled at the import with what
 * the administrator says, or with the document's default: never an argument of an agent.
 */
import { err, ok, type Result } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { listOf, objectOf, textOf } from './fields.ts'
import type { Operation } from './operation.ts'

export type ServerOptions = {
  /** An absolute URL, for documents whose servers are relative or missing. */
  readonly baseUrl?: string | undefined
  readonly serverVariables?: { readonly [name: string]: string } | undefined
}

export function serverUrlOf(
  document: JsonObject,
  operation: Operation,
  options: ServerOptions,
): Result<string, string> {
  const places: readonly (Json | undefined)[] = [
    operation.raw['servers'],
    operation.pathItem['servers'],
    document['servers'],
  ]
  const servers = places.map((place) => listOf(place).filter(isJsonObject))
  const found = servers.find((list) => list.length > 0) ?? []
  const urls = found.map((server) => filledUrl(server, options))
  const url = urls.find((one) => /^https:/i.test(one)) ?? urls[0] ?? '/'
  const absolute = /^https?:\/\//i.test(url) ? url : against(options.baseUrl, url)
  if (absolute === undefined) {
    return err('Its server has no absolute http(s) URL; set baseUrl.')
  }
  if (absolute.includes('{')) {
    return err(`Its server ${absolute} has a variable without a value; set it in serverVariables.`)
  }
  return ok(absolute.replace(/[?#].*$/, '').replace(/\/+$/, ''))
}

function filledUrl(server: JsonObject, { serverVariables = {} }: ServerOptions): string {
  const variables = objectOf(server['variables'])
  return (textOf(server['url']) ?? '/').trim().replace(/\{([^{}]+)\}/g, (place, name: string) => {
    if (Object.hasOwn(serverVariables, name)) return serverVariables[name] ?? place
    const variable = objectOf(Object.hasOwn(variables, name) ? variables[name] : undefined)
    return textOf(variable['default']) ?? textOf(listOf(variable['enum'])[0]) ?? place
  })
}

function against(base: string | undefined, url: string): string | undefined {
  if (url.startsWith('//')) return `https:${url}`
  if (base === undefined) return undefined
  if (!url.startsWith('/')) return `${base.replace(/\/*$/, '/')}${url}`
  const origin = /^https?:\/\/[^/?#]+/i.exec(base)?.[0] ?? base
  return url === '/' ? base : `${origin}${url}`
}
