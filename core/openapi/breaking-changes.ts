/**
 * Changes of a tool that break agents, secrets or budgets: calls that worked with the stored skill fail with the new
 * one, cost more, or send credentials elsewhere. Returned as sentences, by which an administrator can decide.
 */
import type { Json, JsonObject } from '../json/json.ts'
import { listOf, objectOf, textOf, textsOf } from './fields.ts'
import { listed } from './remarks.ts'

export function breakingChanges(stored: JsonObject, imported: JsonObject): readonly string[] {
  const before = objectOf(objectOf(stored['meta'])['parameters'])
  const now = objectOf(objectOf(imported['meta'])['parameters'])
  return [
    ...argumentChanges(before, now),
    ...requestChanges(stored, imported),
    ...termChanges(stored, imported),
  ]
}

function argumentChanges(before: JsonObject, now: JsonObject): readonly string[] {
  const had = objectOf(before['properties'])
  const has = objectOf(now['properties'])
  const required = new Set(textsOf(before['required']))
  const found: string[] = []
  for (const name of textsOf(now['required'])) {
    if (!required.has(name)) found.push(`The argument ${name} is required now.`)
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
  const fields = REQUEST_FIELDS.filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(now[field]),
  ).map((field) => `The ${field.replace('_', ' ')} is another one.`)
  const secrets = SECRET_PLACES.filter(
    (place) => secretsIn(before[place]) !== secretsIn(now[place]),
  ).map((place) => `The credential in ${place} is another one.`)
  return [...hostChange(before, now), ...fields, ...secrets]
}

/** Places of a request that may hold `{{secrets.NAME}}`. */
const SECRET_PLACES = ['headers', 'query', 'body'] as const

function secretsIn(place: Json | undefined): string {
  const pairs = Object.entries(objectOf(place)).map(([name, value]) => [
    name,
    JSON.stringify(value),
  ])
  return JSON.stringify(pairs.filter(([, text]) => text?.includes('{{secrets.')).sort())
}

function hostChange(before: JsonObject, now: JsonObject): readonly string[] {
  const [from, to] = [originOf(before), originOf(now)]
  if (from === to || from === undefined || to === undefined) return []
  const hasOtherHost = hostIn(from) !== hostIn(to)
  return [
    hasOtherHost
      ? `The host is ${hostIn(to)}, not ${hostIn(from)}.`
      : `The host is ${to}, not ${from}.`,
  ]
}

function originOf({ endpoint }: JsonObject): string | undefined {
  return /^https?:\/\/[^/?#]*/i.exec(textOf(endpoint) ?? '')?.[0].toLowerCase()
}

function hostIn(origin: string): string {
  return origin.replace(/^https?:\/\//, '')
}

/** From what everyone sees to what nobody may call. */
const STATES = ['listed', 'unlisted', 'disabled']

function stateOf({ state }: JsonObject): string {
  return textOf(state) ?? 'listed'
}

/** What a call costs, and who may make it. */
function termChanges(stored: JsonObject, imported: JsonObject): readonly string[] {
  const [from, to] = [stored['credits_per_call'] ?? 0, imported['credits_per_call'] ?? 0]
  const rises = typeof from === 'number' && typeof to === 'number' && to > from
  const [before, now] = [stateOf(stored), stateOf(imported)]
  const isHidden = STATES.indexOf(now) > STATES.indexOf(before)
  const [had, has] = [textsOf(stored['groups']), textsOf(imported['groups'])]
  const isNarrowed = has.length > 0 && (had.length === 0 || had.some((one) => !has.includes(one)))
  return [
    ...(rises ? [`The price rises from ${from} to ${to} credits.`] : []),
    ...(isHidden ? [`Its state is ${now}, not ${before}.`] : []),
    ...(isNarrowed ? [`Only users in the groups ${listed(has)} see it.`] : []),
  ]
}

function listOrOne(value: Json | undefined): readonly string[] {
  return typeof value === 'string' ? [value] : textsOf(value)
}
