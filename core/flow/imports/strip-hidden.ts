/**
 * Removes hidden characters from the titles and descriptions of an imported tool: documents contain
 * soft hyphens and zero-width spaces that their owners never saw. Names and values are not changed,
 * since they are sent to the API. A name or value with hidden characters is refused later, as in a
 * sync.
 */
import { escapeHiddenText, removeHiddenText } from '../../json/hidden-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { toJsonPointer } from '../../json/json-pointer.ts'

const PROSE_FIELDS: ReadonlySet<string> = new Set(['description', 'title'])

/** UTF-16 units of a text in a note. */
const SHOWN_UNITS_MAX = 200

export type StrippedTool = { readonly definition: JsonObject; readonly notes: readonly string[] }

/** Returns the same definition if there is nothing to remove. A note names each changed text. */
export function stripHidden(definition: JsonObject): StrippedTool {
  const notes: string[] = []
  const { meta } = definition
  if (!isJsonObject(meta)) return { definition, notes }
  const clean = stripProse(meta, '/meta', notes)
  const { name } = clean
  const named = { ...clean, name: stripText(name ?? null, '/meta/name', notes) }
  return notes.length === 0
    ? { definition, notes }
    : { definition: { ...definition, meta: named }, notes }
}

function stripProse(value: JsonObject, pointer: string, notes: string[]): JsonObject {
  const entries = Object.entries(value).map(([name, inner]) => {
    const at = `${pointer}${toJsonPointer([name])}`
    return [name, PROSE_FIELDS.has(name) ? stripText(inner, at, notes) : inner, at] as const
  })
  return Object.fromEntries(
    entries.map(([name, inner, at]) => [name, stripBelow(inner, at, notes)]),
  )
}

function stripBelow(value: Json, pointer: string, notes: string[]): Json {
  if (isJsonObject(value)) return stripProse(value, pointer, notes)
  if (!Array.isArray(value)) return value
  return value.map((item: Json, index) => stripBelow(item, `${pointer}/${index}`, notes))
}

function stripText(value: Json, pointer: string, notes: string[]): Json {
  if (typeof value !== 'string') return value
  const clean = removeHiddenText(value)
  if (clean === value) return value
  notes.push(
    `${pointer}: hidden characters were left out of "${escapeHiddenText(value).slice(0, SHOWN_UNITS_MAX)}"`,
  )
  return clean
}
