/**
 * Finds the URL to which an operation's path is added: a server of the operation, else of the path
 * item, else of the document. The administrator's `baseUrl` selects one of the servers, is the base
 * of a relative one, or replaces them all. Without it, the first server with https is used, else
 * the first. The import fills variables with the administrator's values or the document's defaults,
 * never with an argument of an agent.
 */
import { err, ok, type Result } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { asList, asObject, asText, asTexts } from './fields.ts'
import type { LeftOut } from './left-out.ts'
import type { Operation } from './operation.ts'
import { noteChosen, noteLeftOut } from './remarks.ts'
import { countSteps, STEPS_PER_SHARED, spendDocumentSteps } from './work-budget.ts'

export type ServerOptions = {
  /** An absolute URL. */
  readonly baseUrl?: string | undefined
  readonly serverVariables?: { readonly [name: string]: string } | undefined
}

/** Values of variables are searched in lists, filled in twice, and shown in a note. */
const STEPS_PER_SERVER = 3 * STEPS_PER_SHARED

/** Returns the URL; `notes` gets the choice and the parts that were left out. */
export function chooseServerUrl(
  document: JsonObject,
  operation: Pick<Operation, 'pathItem' | 'raw'>,
  options: ServerOptions,
  notes: string[],
): Result<string, LeftOut> {
  const places = [operation.raw['servers'], operation.pathItem['servers'], document['servers']]
  const found = places.map(listServers).find((list) => list.length > 0) ?? []
  spendDocumentSteps(
    document,
    STEPS_PER_SERVER * found.reduce((sum, one) => sum + countSteps(one), 0),
  )
  const wrong = found
    .map((server) => checkVariables(server, options))
    .find((one) => one !== undefined)
  if (wrong !== undefined) return err({ code: 'server_variable', reason: wrong })
  const urls = found.length === 0 ? ['/'] : found.map((server) => fillUrl(server, options))
  const url = chooseUrl(urls, options.baseUrl)
  const absolute = isAbsolute(url) ? url : resolveAgainst(options.baseUrl, url)
  if (absolute === undefined) {
    return err({ code: 'no_server', reason: 'Its server has no absolute http(s) URL.' })
  }
  if (absolute.includes('{')) {
    const reason = `Its server ${absolute} has a variable without a value.`
    return err({ code: 'server_variable', reason })
  }
  const server = found[urls.indexOf(url)]
  if (server !== undefined) fillUrl(server, options, notes)
  const others = urls.filter((one) => one !== url)
  if (others.length > 0) notes.push(noteChosen('servers', absolute, others))
  const bare = absolute.replace(/[?#].*$/, '')
  if (bare !== absolute)
    notes.push(noteLeftOut(`The query of the server ${absolute}`, 'a path follows'))
  return ok(bare.replace(/\/+$/, ''))
}

/** Returns the host and port in lower case: `api.shop.example:8443`; '' for a relative URL. */
export function readHost(url: string): string {
  return (/^https?:\/\/([^/?#]+)/i.exec(url)?.[1] ?? '').toLowerCase()
}

/** Returns the names of all variables of the servers in these objects. */
export function listVariables(
  places: readonly { readonly [name: string]: Json | undefined }[],
): ReadonlySet<string> {
  const servers = places.flatMap((place) => listServers(place['servers']))
  return new Set(
    servers.flatMap((server) => [
      ...Object.keys(asObject(server['variables'])),
      ...[...readUrl(server).matchAll(PLACE)].map(([, name = '']) => name),
    ]),
  )
}

const PLACE = /\{([^{}]+)\}/g

function listServers(place: Json | undefined): readonly JsonObject[] {
  return asList(place).filter(isJsonObject)
}

function readUrl(server: JsonObject): string {
  return (asText(server['url']) ?? '/').trim()
}

/** Refuses a value that the document does not allow: its host may belong to someone else. */
function checkVariables(
  server: JsonObject,
  { serverVariables = {} }: ServerOptions,
): string | undefined {
  for (const [name, variable] of Object.entries(asObject(server['variables']))) {
    const values = asTexts(asObject(variable)['enum'])
    const said = Object.hasOwn(serverVariables, name) ? serverVariables[name] : undefined
    if (said === undefined || values.length === 0 || values.includes(said)) continue
    return `The variable ${name} of its server takes ${values.join(', ')}, not ${said}.`
  }
  return undefined
}

function fillUrl(
  server: JsonObject,
  { serverVariables = {} }: ServerOptions,
  notes: string[] = [],
): string {
  const variables = asObject(server['variables'])
  const filled = new Map<string, string>()
  const fill = (place: string, name: string) => {
    if (Object.hasOwn(serverVariables, name)) return serverVariables[name] ?? place
    const variable = asObject(Object.hasOwn(variables, name) ? variables[name] : undefined)
    const values = asTexts(variable['enum'])
    const value = asText(variable['default']) ?? values[0]
    if (value === undefined) return place
    const others = values.filter((one) => one !== value)
    if (others.length > 0)
      notes.push(noteChosen(`values of the server variable ${name}`, value, others))
    return value
  }
  // Each variable is filled only once, however often the URL has it.
  return readUrl(server).replace(PLACE, (place, name: string) => {
    const value = filled.get(name) ?? fill(place, name)
    filled.set(name, value)
    return value
  })
}

function isAbsolute(url: string): boolean {
  return /^https?:\/\//i.test(url)
}

function chooseUrl(urls: readonly string[], base: string | undefined): string {
  const first = urls.find((one) => /^https:/i.test(one)) ?? urls[0] ?? '/'
  if (base === undefined) return first
  const wanted = withoutSlash(base)
  const same = urls.find((one) => withoutSlash(one) === wanted)
  if (same !== undefined) return same
  const relative = urls.find((one) => !isAbsolute(one) && !one.startsWith('//'))
  if (relative !== undefined) return relative
  const ofOrigin = urls.filter((one) => findOrigin(one).toLowerCase() === wanted.toLowerCase())
  return ofOrigin[0] ?? base
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

function findOrigin(url: string): string {
  return /^https?:\/\/[^/?#]+/i.exec(url)?.[0] ?? ''
}

function resolveAgainst(base: string | undefined, url: string): string | undefined {
  if (url.startsWith('//')) return `https:${url}`
  if (base === undefined) return undefined
  if (!url.startsWith('/')) return `${base.replace(/\/*$/, '/')}${url.replace(/^\.\//, '')}`
  return url === '/' ? base : `${findOrigin(base) || base}${url}`
}
