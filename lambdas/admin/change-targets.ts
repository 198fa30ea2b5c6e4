/**
 * The ids that a request or an answer names, for the audit trail: those of one record by their names, those of many records in
 * a list. Names of private tools are left out: they begin with a username, and the trail outlives its user.
 */
import type { Target } from '../../core/audit/audit-record.ts'
import { TARGET_UNITS_MAX } from '../../core/audit/limits.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import { SET_BYTES_MAX } from '../../core/skills/set-limits.ts'
import { enforcePrefix } from '../../core/skills/tool-name.ts'

/** Members and parameters with these names are ids, in a path, a query, a body or an answer. */
const ID_NAMES: ReadonlySet<string> = new Set([
  'grantId',
  'keyId',
  'name',
  'prefix',
  'set',
  'skill',
  'skillId',
  'source',
  'uid',
])
/** Of one line of a batch, or one result. */
const IDS_OF_ITEMS = ['grantId', 'skillId', 'uid']
/** Members of answers that list what was changed. */
const LISTS = ['added', 'changed', 'removed', 'results']

export function idsIn(fields: { readonly [name: string]: Json } | undefined): Target {
  const ids = Object.entries(fields ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && ID_NAMES.has(name) ? [[name, cut(value)]] : [],
  )
  return Object.fromEntries(ids)
}

/** Of an answer: also the id of the skill that it shows. */
export function idsInAnswer(answer: JsonObject | undefined): Target {
  const id = idIn(answer?.['skill'])
  return { ...idsIn(answer), ...(id === undefined ? {} : { skillId: cut(id) }) }
}

/** Of a text that holds several skills, or lines. Faults are named by the flow. */
export function sentTargets(text: string, prefix: string): readonly string[] {
  if (text === '') return []
  const whole = parseJson(text, { bytesMax: SET_BYTES_MAX })
  if (whole.ok) return membersOf(whole.value).flatMap((item) => idsOfItem(item, prefix))
  return text.split('\n').flatMap((line) => idsOfText(line, prefix))
}

export function answeredTargets(answer: JsonObject | undefined, prefix: string): readonly string[] {
  return LISTS.flatMap((name) => {
    const list = answer?.[name]
    return Array.isArray(list) ? list.flatMap((item: Json) => idsOfItem(item, prefix)) : []
  })
}

/** An array, or a page of the registry; anything else is one. */
function membersOf(value: Json): readonly Json[] {
  const list = isJsonObject(value) && idIn(value) === undefined ? value['skills'] : value
  return Array.isArray(list) ? list : [value]
}

function idsOfText(text: string, prefix: string): readonly string[] {
  const parsed = text.trimStart().startsWith('{') ? parseJson(text) : undefined
  return parsed?.ok === true ? idsOfItem(parsed.value, prefix) : []
}

/** A line of a batch, a skill, what a GET answered for one, a file, a result, or an id alone. */
function idsOfItem(item: Json, prefix: string): readonly string[] {
  if (typeof item === 'string') return [cut(item)]
  if (!isJsonObject(item)) return []
  const { path, skill, synced, text } = item
  const own = IDS_OF_ITEMS.flatMap((name) => {
    const id = item[name]
    return typeof id === 'string' ? [cut(id)] : []
  })
  const ids = [idIn(item), idIn(skill), isJsonObject(synced) ? idIn(synced['skill']) : undefined]
  const skills = ids.flatMap((id) => (id === undefined ? [] : [cut(enforcePrefix(prefix, id))]))
  const isFile = typeof path === 'string' && typeof text === 'string'
  return [...own, ...skills, ...(isFile ? idsOfText(text, prefix) : [])]
}

/** The id of a skill's definition. */
function idIn(value: Json | undefined): string | undefined {
  const id = isJsonObject(value) ? value['id'] : undefined
  return typeof id === 'string' ? id : undefined
}

function cut(id: string): string {
  return id.slice(0, TARGET_UNITS_MAX).toWellFormed()
}
