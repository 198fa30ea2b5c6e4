/**
 * Warns of arguments that would go nowhere, and of places that no argument fills, so that an author
 * learns of them at sync. Refuses nothing, because a schema need not name every argument.
 */
import { isJsonObject, type JsonObject } from '../../json/json.ts'
import type { HttpMethod } from '../skill.ts'
import type { Notes } from './field-notes.ts'
import { warnUnfilled } from './warn-unfilled.ts'

/**
 * The syntax of core/skills/definition/template.ts. Searched in JSON text, since JSON escapes nothing in a
 * name.
 */
const ARG_PLACE = /\{\{\s*args\.([A-Za-z0-9_.-]{1,512})\s*\}\}/g
const ENDPOINT_PLACE = /\{([^{}/?#]+)\}/g

export function warnPlaces(
  notes: Notes,
  raw: JsonObject,
  { method, parameters }: { readonly method: HttpMethod; readonly parameters: JsonObject },
): void {
  const properties = isJsonObject(parameters['properties']) ? parameters['properties'] : {}
  const { body = null, endpoint, headers = null, query = null } = raw
  const places = new Set(placesIn(JSON.stringify([headers, query, body]), ARG_PLACE))
  for (const place of places) {
    if (isAmong(properties, place.split('.'))) continue
    const message = `{{args.${place}}} is not among the parameters`
    warnUnfilled(notes, parameters, '/config', message)
  }
  const named = new Set([...places].map((place) => place.split('.')[0]))
  const isWholeBody = method === 'POST' || method === 'PUT' || method === 'PATCH'
  if (body === null || !isWholeBody) return
  const inEndpoint = new Set(placesIn(String(endpoint), ENDPOINT_PLACE))
  for (const name of Object.keys(properties)) {
    if (named.has(name) || inEndpoint.has(name)) continue
    notes.warnings.push(
      `/config/body: has no placeholder for the parameter ${name}, which is sent nowhere`,
    )
  }
}

/** Only `properties` names members. A schema without it may have any. */
function isAmong(properties: JsonObject, [name = '', ...path]: readonly string[]): boolean {
  if (!Object.hasOwn(properties, name)) return false
  const schema = properties[name]
  const inner = isJsonObject(schema) ? schema['properties'] : undefined
  return path.length === 0 || !isJsonObject(inner) || isAmong(inner, path)
}

function placesIn(text: string, place: RegExp): readonly string[] {
  return [...text.matchAll(place)].map(([, name = '']) => name)
}
