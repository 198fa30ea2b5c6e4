/**
 * Warns the author, at sync, of arguments that are not sent and of places without an argument.
 * Refuses nothing, because a schema need not name every argument.
 */
import { isJsonObject, type JsonObject } from '../../json/json.ts'
import type { HttpMethod } from '../skill.ts'
import { type Notes, warnUnfilled } from './field-notes.ts'

/**
 * The syntax of core/skills/definition/template.ts. JSON text is searched, because JSON does not
 * escape the characters of a name.
 */
const ARG_PLACE = /\{\{\s*args\.([A-Za-z0-9_.-]{1,512})\s*\}\}/g
const ENDPOINT_PLACE = /\{([^{}/?#]+)\}/g

/** Adds the warnings of `config`; `raw` is its JSON. */
export function warnPlaces(
  notes: Notes,
  raw: JsonObject,
  {
    at,
    method,
    parameters,
  }: {
    readonly method: HttpMethod
    readonly parameters: JsonObject
    /** The place of the body's template. */
    readonly at: string
  },
): void {
  const properties = isJsonObject(parameters['properties']) ? parameters['properties'] : {}
  const { body = null, endpoint, headers = null, query = null } = raw
  const places = new Set(findPlaces(JSON.stringify([headers, query, body]), ARG_PLACE))
  for (const place of places) {
    if (hasParameter(properties, place.split('.'))) continue
    const message = `{{args.${place}}} is not among the parameters`
    warnUnfilled(notes, parameters, '/config', message)
  }
  const named = new Set([...places].map((place) => place.split('.')[0]))
  const isWholeBody = method === 'POST' || method === 'PUT' || method === 'PATCH'
  if (body === null || !isWholeBody) return
  const inEndpoint = new Set(findPlaces(String(endpoint), ENDPOINT_PLACE))
  for (const name of Object.keys(properties)) {
    if (named.has(name) || inEndpoint.has(name)) continue
    notes.warnings.push(
      `${at}: has no placeholder for the parameter ${name}, which is sent nowhere`,
    )
  }
}

/** A schema without `properties` may have any members. */
function hasParameter(properties: JsonObject, [name = '', ...path]: readonly string[]): boolean {
  if (!Object.hasOwn(properties, name)) return false
  const schema = properties[name]
  const inner = isJsonObject(schema) ? schema['properties'] : undefined
  return path.length === 0 || !isJsonObject(inner) || hasParameter(inner, path)
}

function findPlaces(text: string, place: RegExp): readonly string[] {
  return [...text.matchAll(place)].map(([, name = '']) => name)
}
