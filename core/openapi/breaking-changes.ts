/**
 * Changes of a tool that break agents or secrets: calls that worked with the stored skill fail with the new
 * one. Returned as sentences, by which an administrator can decide.
 */
import type { Json, JsonObject } from '../json/json.ts'
import { listOf, objectOf, textsOf } from './fields.ts'

export function breakingChanges(stored: JsonObject, imported: JsonObject): readonly string[] {
  const before = objectOf(objectOf(stored['meta'])['parameters'])
  const now = objectOf(objectOf(imported['meta'])['parameters'])
  return [...argumentChanges(before, now), ...requestChanges(stored, imported)]
}

function argumentChanges(before: JsonObject, now: JsonObject): readonly string[] {
  const had = objectOf(before['properties'])
  const has = objectOf(now['properties'])
  const required = textsOf(before['required'])
  const found: string[] = []
  for (const name of textsOf(now['required'])) {
    if (!required.includes(name)) found.push(`The argument ${name} is required now.`)
  }
  for (const [name, schema] of Object.entries(had)) {
    if (!Object.hasOwn(has, name)) {
      found.push(`The argument ${name} is gone.`)
      continue
    }
    const one = objectOf(schema)
    const other = objectOf(has[name])
    if (lostTypes(one, other)) found.push(`The argument ${name} has another type.`)
    const lost = lostValues(one, other)
    if (lost.length > 0) found.push(`The argument ${name} no longer takes ${lost.join(', ')}.`)
  }
  return found
}

/** Types that were allowed and are not any more; a number takes what an integer was. */
function lostTypes(before: JsonObject, now: JsonObject): boolean {
  const types = listOrOne(now['type'])
  if (types.length === 0) return false
  const had = listOrOne(before['type'])
  if (had.length === 0) return before['$ref'] !== now['$ref'] && before['$ref'] !== undefined
  return had.some(
    (type) => !types.includes(type) && !(type === 'integer' && types.includes('number')),
  )
}

function lostValues(before: JsonObject, now: JsonObject): readonly string[] {
  const values = listOf(now['enum'])
  if (values.length === 0) return []
  const texts = new Set(values.map((value: Json) => JSON.stringify(value)))
  return listOf(before['enum'])
    .map((value: Json) => JSON.stringify(value))
    .filter((text) => !texts.has(text))
}

/** Where a skill sends, and with which credential: secrets are bound to both. */
const REQUEST_FIELDS = ['endpoint', 'method', 'auth', 'plugin_hook', 'plugin_options'] as const

function requestChanges(stored: JsonObject, imported: JsonObject): readonly string[] {
  const before = objectOf(stored['config'])
  const now = objectOf(imported['config'])
  return REQUEST_FIELDS.filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(now[field]),
  ).map((field) => `The ${field.replace('_', ' ')} is another one.`)
}

function listOrOne(value: Json | undefined): readonly string[] {
  return typeof value === 'string' ? [value] : textsOf(value)
}
