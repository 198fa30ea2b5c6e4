/**
 * The URL that an operation's path is added to: its own servers, else those of the path, else those of
 * the document. What the administrator says wins: `baseUrl` chooses a server, is where a relative one begins, or
 * stands in the place of all. Else the first one with https counts, or the first. Variables are filled at the import
 * with what the administrator says, or with the document's default: never an argument of an agent.
 */
import { err, ok, type Result } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { listOf, objectOf, textOf, textsOf } from './fields.ts'
import type { Operation } from './operation.ts'
import { chosen, leftOut } from './remarks.ts'
import { STEPS_PER_SHARED, spendOn, stepsOf } from './work-budget.ts'

export type ServerOptions = {
  /** An absolute URL. */
  readonly baseUrl?: string | undefined
  readonly serverVariables?: { readonly [name: string]: string } | undefined
}

/** Values of variables are looked for in lists, filled in twice, and told in a note. */
const STEPS_PER_SERVER = 3 * STEPS_PER_SHARED

/** `notes` gets what was chosen and what was left out. */
export function serverUrlOf(
  document: JsonObject,
  operation: Pick<Operation, 'pathItem' | 'raw'>,
  options: ServerOptions,
  notes: string[],
): Result<string, string> {
  const places = [operation.raw['servers'], operation.pathItem['servers'], document['servers']]
  const found = places.map(serversIn).find((list) => list.length > 0) ?? []
  spendOn(document, STEPS_PER_SERVER * found.reduce((sum, one) => sum + stepsOf(one), 0))
  const wrong = found
    .map((server) => wrongVariable(server, options))
    .find((one) => one !== undefined)
  if (wrong !== undefined) return err(wrong)
  const urls = found.length === 0 ? ['/'] : found.map((server) => filledUrl(server, options))
  const url = chosenUrl(urls, options.baseUrl)
  const absolute = isAbsolute(url) ? url : against(options.baseUrl, url)
  if (absolute === undefined) return err('Its server has no absolute http(s) URL; set baseUrl.')
  if (absolute.includes('{')) {
    return err(`Its server ${absolute} has a variable without a value; set it in serverVariables.`)
  }
  const server = found[urls.indexOf(url)]
  if (server !== undefined) filledUrl(server, options, notes)
  const others = urls.filter((one) => one !== url)
  if (others.length > 0) notes.push(chosen('servers', absolute, others))
  const bare = absolute.replace(/[?#].*$/, '')
  if (bare !== absolute)
    notes.push(leftOut(`The query of the server ${absolute}`, 'a path follows'))
  return ok(bare.replace(/\/+$/, ''))
}

/** `api.shop.example:8443` of a URL, in small letters; '' for a relative one. */
export function hostOf(url: string): string {
  return (/^https?:\/\/([^/?#]+)/i.exec(url)?.[1] ?? '').toLowerCase()
}

/** Names of the variables that the servers of these places have. */
export function variablesIn(
  places: readonly { readonly [name: string]: Json | undefined }[],
): ReadonlySet<string> {
  const servers = places.flatMap((place) => serversIn(place['servers']))
  return new Set(
    servers.flatMap((server) => [
      ...Object.keys(objectOf(server['variables'])),
      ...[...urlOf(server).matchAll(PLACE)].map(([, name = '']) => name),
    ]),
  )
}

const PLACE = /\{([^{}]+)\}/g

function serversIn(place: Json | undefined): readonly JsonObject[] {
  return listOf(place).filter(isJsonObject)
}

function urlOf(server: JsonObject): string {
  return (textOf(server['url']) ?? '/').trim()
}

/** A value that the document does not allow would lead to a host that its owner may not have. */
function wrongVariable(
  server: JsonObject,
  { serverVariables = {} }: ServerOptions,
): string | undefined {
  for (const [name, variable] of Object.entries(objectOf(server['variables']))) {
    const values = textsOf(objectOf(variable)['enum'])
    const said = Object.hasOwn(serverVariables, name) ? serverVariables[name] : undefined
    if (said === undefined || values.length === 0 || values.includes(said)) continue
    return `The variable ${name} of its server takes ${values.join(', ')}, not ${said}; correct it in serverVariables.`
  }
  return undefined
}

function filledUrl(
  server: JsonObject,
  { serverVariables = {} }: ServerOptions,
  notes: string[] = [],
): string {
  const variables = objectOf(server['variables'])
  const filled = new Map<string, string>()
  const fill = (place: string, name: string) => {
    if (Object.hasOwn(serverVariables, name)) return serverVariables[name] ?? place
    const variable = objectOf(Object.hasOwn(variables, name) ? variables[name] : undefined)
    const values = textsOf(variable['enum'])
    const value = textOf(variable['default']) ?? values[0]
    if (value === undefined) return place
    const others = values.filter((one) => one !== value)
    if (others.length > 0)
      notes.push(chosen(`values of the server variable ${name}`, value, others))
    return value
  }
  // Once for each variable, however often the URL has it.
  return urlOf(server).replace(PLACE, (place, name: string) => {
    const value = filled.get(name) ?? fill(place, name)
    filled.set(name, value)
    return value
  })
}

function isAbsolute(url: string): boolean {
  return /^https?:\/\//i.test(url)
}

function chosenUrl(urls: readonly string[], base: string | undefined): string {
  const first = urls.find((one) => /^https:/i.test(one)) ?? urls[0] ?? '/'
  if (base === undefined) return first
  const wanted = withoutSlash(base)
  const same = urls.find((one) => withoutSlash(one) === wanted)
  if (same !== undefined) return same
  const relative = urls.find((one) => !isAbsolute(one) && !one.startsWith('//'))
  if (relative !== undefined) return relative
  const ofOrigin = urls.filter((one) => originOf(one).toLowerCase() === wanted.toLowerCase())
  return ofOrigin[0] ?? base
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

function originOf(url: string): string {
  return /^https?:\/\/[^/?#]+/i.exec(url)?.[0] ?? ''
}

function against(base: string | undefined, url: string): string | undefined {
  if (url.startsWith('//')) return `https:${url}`
  if (base === undefined) return undefined
  if (!url.startsWith('/')) return `${base.replace(/\/*$/, '/')}${url.replace(/^\.\//, '')}`
  return url === '/' ? base : `${originOf(base) || base}${url}`
}
