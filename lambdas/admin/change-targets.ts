/**
 * Finds the ids that a request or a response names, for the audit trail: the ids of one record by
 * their names, and those of many records as a list. Names of private tools are left out, because
 * they begin with a username and the trail outlives its user.
 */
import type { Target } from '../../core/audit/audit-record.ts'
import { TARGET_UNITS_MAX } from '../../core/audit/limits.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import { SET_BYTES_MAX } from '../../core/skills/set-limits.ts'
import { enforcePrefix } from '../../core/skills/tool-name.ts'

/** Members with these names are ids, in a path, a query, a body or a response. */
const ID_MEMBERS: ReadonlySet<string> = new Set([
  'grantId',
  'guideId',
  'inviteId',
  'keyId',
  'loginId',
  'name',
  'prefix',
  'set',
  'skill',
  'skillId',
  'source',
  'uid',
  'upstreamId',
])
/** Members that are ids in one line of a batch, or in one result. */
const ITEM_ID_MEMBERS = ['grantId', 'skillId', 'uid']
/** Members of responses that list the changed records. */
const LIST_MEMBERS = ['added', 'changed', 'removed', 'results']

/** Finds the ids among members that are texts, each cut to the length that the trail keeps. */
export function findIds(fields: { readonly [name: string]: Json } | undefined): Target {
  const ids = Object.entries(fields ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && ID_MEMBERS.has(name) ? [[name, cutId(value)]] : [],
  )
  return Object.fromEntries(ids)
}

/** Finds the ids in a response, and the id of the skill that the response shows. */
export function findIdsInAnswer(answer: JsonObject | undefined): Target {
  const id = readId(answer?.['skill'])
  return { ...findIds(answer), ...(id === undefined ? {} : { skillId: cutId(id) }) }
}

/**
 * Finds the ids in a text that holds several skills, or lines. Invalid parts are skipped; the flow
 * reports them.
 */
export function listSentTargets(text: string, prefix: string): readonly string[] {
  if (text === '') return []
  const whole = parseJson(text, { bytesMax: SET_BYTES_MAX })
  if (whole.ok) return listElements(whole.value).flatMap((item) => findIdsInItem(item, prefix))
  return text.split('\n').flatMap((line) => findIdsInText(line, prefix))
}

/** Finds the ids in the lists of a response. `prefix` is the prefix of tool names. */
export function listAnsweredTargets(
  answer: JsonObject | undefined,
  prefix: string,
): readonly string[] {
  return LIST_MEMBERS.flatMap((name) => {
    const list = answer?.[name]
    return Array.isArray(list) ? list.flatMap((item: Json) => findIdsInItem(item, prefix)) : []
  })
}

/**
 * Returns the elements of an array or of a page of the registry; any other value is one element.
 */
function listElements(value: Json): readonly Json[] {
  const list = isJsonObject(value) && readId(value) === undefined ? value['skills'] : value
  return Array.isArray(list) ? list : [value]
}

function findIdsInText(text: string, prefix: string): readonly string[] {
  const parsed = text.trimStart().startsWith('{') ? parseJson(text) : undefined
  return parsed?.ok === true ? findIdsInItem(parsed.value, prefix) : []
}

/**
 * Finds the ids in an element: a line of a batch, a skill, a response of GET, a file, a result, or
 * an id alone.
 */
function findIdsInItem(item: Json, prefix: string): readonly string[] {
  if (typeof item === 'string') return [cutId(item)]
  if (!isJsonObject(item)) return []
  const { path, skill, synced, text } = item
  const own = ITEM_ID_MEMBERS.flatMap((name) => {
    const id = item[name]
    return typeof id === 'string' ? [cutId(id)] : []
  })
  const ids = [
    readId(item),
    readId(skill),
    isJsonObject(synced) ? readId(synced['skill']) : undefined,
  ]
  const skills = ids.flatMap((id) => (id === undefined ? [] : [cutId(enforcePrefix(prefix, id))]))
  const isFile = typeof path === 'string' && typeof text === 'string'
  return [...own, ...skills, ...(isFile ? findIdsInText(text, prefix) : [])]
}

/** Reads the id of a skill's definition. */
function readId(value: Json | undefined): string | undefined {
  const id = isJsonObject(value) ? value['id'] : undefined
  return typeof id === 'string' ? id : undefined
}

function cutId(id: string): string {
  return id.slice(0, TARGET_UNITS_MAX).toWellFormed()
}
