/**
 * Leaves hidden characters out of the prose of an imported tool: documents carry soft hyphens and zero-width spaces that their
 * owners never saw. Names and values stay as they are, since they are sent to the API: one with hidden characters is refused
 * by the judge of skills, as in a sync.
 */
import { shownText, withoutHidden } from '../../json/hidden-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { jsonPointer } from '../../json/json-pointer.ts'

const PROSE: ReadonlySet<string> = new Set(['description', 'title'])

/** UTF-16 units of a text that a note shows. */
const SHOWN_MAX = 200

export type StrippedTool = { readonly definition: JsonObject; readonly notes: readonly string[] }

/** The same definition where there is nothing to leave out. */
export function stripHidden(definition: JsonObject): StrippedTool {
  const notes: string[] = []
  const { meta } = definition
  if (!isJsonObject(meta)) return { definition, notes }
  const clean = proseOf(meta, '/meta', notes)
  const { name } = clean
  const named = { ...clean, name: textOf(name ?? null, '/meta/name', notes) }
  return notes.length === 0
    ? { definition, notes }
    : { definition: { ...definition, meta: named }, notes }
}

function proseOf(value: JsonObject, pointer: string, notes: string[]): JsonObject {
  const entries = Object.entries(value).map(([name, inner]) => {
    const at = `${pointer}${jsonPointer([name])}`
    return [name, PROSE.has(name) ? textOf(inner, at, notes) : inner, at] as const
  })
  return Object.fromEntries(entries.map(([name, inner, at]) => [name, below(inner, at, notes)]))
}

function below(value: Json, pointer: string, notes: string[]): Json {
  if (isJsonObject(value)) return proseOf(value, pointer, notes)
  if (!Array.isArray(value)) return value
  return value.map((item: Json, index) => below(item, `${pointer}/${index}`, notes))
}

function textOf(value: Json, pointer: string, notes: string[]): Json {
  if (typeof value !== 'string') return value
  const clean = withoutHidden(value)
  if (clean === value) return value
  notes.push(
    `${pointer}: hidden characters were left out of "${shownText(value).slice(0, SHOWN_MAX)}"`,
  )
  return clean
}
