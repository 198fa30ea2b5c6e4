/**
 * Finds changes of a tool that break agents, secrets or budgets: calls of the stored skill would
 * fail, cost more, or send credentials elsewhere. Each change is a sentence for an administrator,
 * who decides.
 */
import type { Json, JsonObject } from '../json/json.ts'
import { asList, asObject, asText, asTexts } from './fields.ts'
import { joinNames } from './remarks.ts'

/** Compares the stored definition with the imported one. */
export function findBreakingChanges(stored: JsonObject, imported: JsonObject): readonly string[] {
  const before = asObject(asObject(stored['meta'])['parameters'])
  const now = asObject(asObject(imported['meta'])['parameters'])
  return [
    ...findArgumentChanges(before, now),
    ...findRequestChanges(stored, imported),
    ...findTermChanges(stored, imported),
  ]
}

function findArgumentChanges(before: JsonObject, now: JsonObject): readonly string[] {
  const had = asObject(before['properties'])
  const has = asObject(now['properties'])
  const required = new Set(asTexts(before['required']))
  const found: string[] = []
  for (const name of asTexts(now['required'])) {
    if (!required.has(name)) found.push(`The argument ${name} is required now.`)
  }
  for (const [name, schema] of Object.entries(had)) {
    if (!Object.hasOwn(has, name)) {
      found.push(`The argument ${name} is gone.`)
      continue
    }
    const one = asObject(schema)
    const other = asObject(has[name])
    if (hasLostTypes(one, other)) found.push(`The argument ${name} has another type.`)
    const lost = findLostValues(one, other)
    if (lost.length > 0) found.push(`The argument ${name} no longer takes ${lost.join(', ')}.`)
  }
  return found
}

/** True if a type is no longer allowed. A change from integer to number allows all values. */
function hasLostTypes(before: JsonObject, now: JsonObject): boolean {
  const types = toTexts(now['type'])
  if (types.length === 0) return false
  const had = toTexts(before['type'])
  if (had.length === 0) return before['$ref'] !== now['$ref'] && before['$ref'] !== undefined
  return had.some(
    (type) => !types.includes(type) && !(type === 'integer' && types.includes('number')),
  )
}

function findLostValues(before: JsonObject, now: JsonObject): readonly string[] {
  const values = asList(now['enum'])
  if (values.length === 0) return []
  const texts = new Set(values.map((value: Json) => JSON.stringify(value)))
  return asList(before['enum'])
    .map((value: Json) => JSON.stringify(value))
    .filter((text) => !texts.has(text))
}

/** Fields that say where a skill sends and with which credential. Secrets are bound to both. */
const REQUEST_FIELDS = ['endpoint', 'method', 'auth', 'plugin_hook', 'plugin_options'] as const

function findRequestChanges(stored: JsonObject, imported: JsonObject): readonly string[] {
  const before = asObject(stored['config'])
  const now = asObject(imported['config'])
  const fields = REQUEST_FIELDS.filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(now[field]),
  ).map((field) => `The ${field.replace('_', ' ')} is another one.`)
  const secrets = SECRET_PLACES.filter(
    (place) => writeSecrets(before[place]) !== writeSecrets(now[place]),
  ).map((place) => `The credential in ${place} is another one.`)
  return [...findHostChange(before, now), ...fields, ...secrets]
}

/** Places of a request that may hold `{{secrets.NAME}}`. */
const SECRET_PLACES = ['headers', 'query', 'body'] as const

function writeSecrets(place: Json | undefined): string {
  const pairs = Object.entries(asObject(place)).map(([name, value]) => [
    name,
    JSON.stringify(value),
  ])
  return JSON.stringify(pairs.filter(([, text]) => text?.includes('{{secrets.')).sort())
}

function findHostChange(before: JsonObject, now: JsonObject): readonly string[] {
  const [from, to] = [findOrigin(before), findOrigin(now)]
  if (from === to || from === undefined || to === undefined) return []
  const hasOtherHost = toHost(from) !== toHost(to)
  return [
    hasOtherHost
      ? `The host is ${toHost(to)}, not ${toHost(from)}.`
      : `The host is ${to}, not ${from}.`,
  ]
}

function findOrigin({ endpoint }: JsonObject): string | undefined {
  return /^https?:\/\/[^/?#]*/i.exec(asText(endpoint) ?? '')?.[0].toLowerCase()
}

function toHost(origin: string): string {
  return origin.replace(/^https?:\/\//, '')
}

/** States from the most visible to the least. */
const STATES = ['listed', 'unlisted', 'review', 'disabled']

function readState({ state }: JsonObject): string {
  return asText(state) ?? 'listed'
}

/** Compares price, state and groups. */
function findTermChanges(stored: JsonObject, imported: JsonObject): readonly string[] {
  const [from, to] = [stored['credits_per_call'] ?? 0, imported['credits_per_call'] ?? 0]
  const rises = typeof from === 'number' && typeof to === 'number' && to > from
  const [before, now] = [readState(stored), readState(imported)]
  const isHidden = STATES.indexOf(now) > STATES.indexOf(before)
  const [had, has] = [asTexts(stored['groups']), asTexts(imported['groups'])]
  const isNarrowed = has.length > 0 && (had.length === 0 || had.some((one) => !has.includes(one)))
  return [
    ...(rises ? [`The price rises from ${from} to ${to} credits.`] : []),
    ...(isHidden ? [`Its state is ${now}, not ${before}.`] : []),
    ...(isNarrowed ? [`Only users in the groups ${joinNames(has)} see it.`] : []),
  ]
}

function toTexts(value: Json | undefined): readonly string[] {
  return typeof value === 'string' ? [value] : asTexts(value)
}
