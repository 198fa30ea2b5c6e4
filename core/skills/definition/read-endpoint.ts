/**
 * Reads `config.endpoint`: an absolute http(s) URL with `{name}` places in its path and query.
 * core/request/check-target.ts decides which hosts may be called, at sync and at each call.
 */
import type { Json, JsonObject } from '../../json/json.ts'
import { ENDPOINT_CHARS_MAX } from '../limits.ts'
import { addFieldError, type Notes, readText, warnUnfilled } from './field-notes.ts'

const POINTER = '/config/endpoint'
const SCHEME_AND_HOST = /^https?:\/\/([^/?#\\]+)/i
const PLACE = /\{([^{}/?#]+)\}/g
/** A place in a name: in the query before a `=`, or in a matrix parameter of the path. */
const NAME_PLACE = /\?(?:[^&]*&)*[^=&]*\{|^[^?]*;[^=;/?{]*\{[^{}]*\}[^=;/?]*=/
const SECRET_PLACE = /\{\s*secrets\./

export function readEndpoint(
  notes: Notes,
  value: Json | undefined,
  parameters: JsonObject,
): string {
  const endpoint = readText(notes, POINTER, value, { charsMax: ENDPOINT_CHARS_MAX })
  if (endpoint === '') return ''
  const wrong = checkEndpoint(endpoint)
  if (wrong !== undefined) addFieldError(notes, POINTER, wrong)
  else warnUnboundPlaces(notes, endpoint, parameters)
  return endpoint
}

/** Why an address with `{name}` places cannot be used; undefined for a good one. */
export function checkEndpoint(endpoint: string): string | undefined {
  const host = SCHEME_AND_HOST.exec(endpoint)?.[1]
  if (host === undefined) return 'is not an absolute URL; begin it with https://host/'
  if (/[{}]/.test(host))
    return 'has a placeholder in its host; arguments may fill path and query only'
  if (endpoint.includes('{{')) return 'has a {{…}} template; write {name} for an argument'
  if (SECRET_PLACE.test(endpoint))
    return 'names a secret; secrets go to auth, headers, query or body'
  if (endpoint.includes('#')) return 'has a fragment (#…), which is never sent; remove it'
  if (/[{}]/.test(endpoint.replace(PLACE, 'x')))
    return 'has a brace without its partner; write {name}'
  if (NAME_PLACE.test(endpoint))
    return 'has a placeholder in the name of a pair, so an argument could take any name; put it into the value'
  if (/[\s\\]/.test(endpoint)) return 'has white space or a backslash; write %20 or %5C'
  if (!URL.canParse(endpoint.replace(PLACE, 'x'))) return 'is not a valid URL; check host and port'
  return undefined
}

/** The names in the places of an address, with repeats. */
export function listPlaces(endpoint: string): readonly string[] {
  return [...endpoint.matchAll(PLACE)].map(([, name = '']) => name)
}

function warnUnboundPlaces(notes: Notes, endpoint: string, parameters: JsonObject): void {
  const properties = Object(parameters['properties'] ?? {})
  for (const name of listPlaces(endpoint)) {
    if (Object.hasOwn(properties, name)) continue
    const message = `{${name}} is not among the parameters; calls without it fail`
    warnUnfilled(notes, parameters, POINTER, message)
  }
}
