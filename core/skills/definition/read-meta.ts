/** Reads `meta` of the unified JSON, in which a skill describes itself. */
import { collectClientRemarks, type SchemaSide } from '../../json/client-schemas.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { toJsonPointer } from '../../json/json-pointer.ts'
import {
  DESCRIPTION_CHARS_MAX,
  EMOJI_UNITS_MAX,
  NAME_CHARS_MAX,
  TAG_CHARS_MAX,
  TAGS_MAX,
  TYPICAL_MS_MAX,
} from '../limits.ts'
import type { Skill, ToolAnnotations } from '../skill.ts'
import {
  addFieldError,
  checkText,
  type Notes,
  readCount,
  readObject,
  readOptionalText,
  readText,
  warnUnknown,
} from './field-notes.ts'
import { isOneEmoji } from './one-emoji.ts'
import { readOutputSchema } from './read-output-schema.ts'
import { readParameters } from './read-parameters.ts'

export type Meta = Pick<
  Skill,
  | 'name'
  | 'description'
  | 'emoji'
  | 'tags'
  | 'annotations'
  | 'parameters'
  | 'outputSchema'
  | 'typicalMs'
>

const KNOWN = [
  'name',
  'description',
  'emoji',
  'tags',
  'annotations',
  'parameters',
  'output_schema',
  'typical_ms',
]

export function readMeta(
  notes: Notes,
  value: Json | undefined,
  { isStored }: { readonly isStored?: true } = {},
): Meta & { raw: JsonObject } {
  const raw = readObject(notes, '/meta', value, 'required')
  warnUnknown(notes, '/meta', raw, KNOWN)
  // A missing `meta` is one error, not one for each missing member.
  const inner = value === undefined ? { ...notes, faults: [] } : notes
  const meta = {
    raw,
    name: readText(inner, '/meta/name', raw['name'], { charsMax: NAME_CHARS_MAX }),
    description: readText(inner, '/meta/description', raw['description'], {
      charsMax: DESCRIPTION_CHARS_MAX,
      lines: true,
    }),
    emoji: readEmoji(notes, raw['emoji']),
    tags: readTags(notes, raw['tags']),
    ...readAnnotations(notes, raw['annotations']),
    parameters: readParameters(inner, raw['parameters']),
    outputSchema: readOutputSchema(notes, raw['output_schema']),
    typicalMs: readTypicalMs(notes, raw['typical_ms']),
  }
  if (isStored === true) return meta
  // A missing or wrong schema already has an error or a warning.
  if (raw['parameters'] === meta.parameters) {
    warnClients(notes, '/meta/parameters', meta.parameters, 'input')
  }
  warnClients(notes, '/meta/output_schema', meta.outputSchema, 'output')
  return meta
}

/** Warns of parts that tool lists change for clients. */
function warnClients(
  { warnings }: Notes,
  pointer: string,
  schema: JsonObject | undefined,
  side: SchemaSide,
): void {
  if (schema === undefined) return
  for (const remark of collectClientRemarks(schema, side)) {
    warnings.push(`${pointer}${remark.pointer}: ${remark.message}`)
  }
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

/** Reads the author's own hints, which replace the hints of the method (skill-tool.ts). */
function readAnnotations(
  notes: Notes,
  value: Json | undefined,
): { readonly annotations?: Partial<ToolAnnotations> } {
  const pointer = '/meta/annotations'
  if (value === undefined || value === null) return {}
  if (!isJsonObject(value)) {
    addFieldError(
      notes,
      pointer,
      'is not an object; send {"destructiveHint": false} or leave it out',
    )
    return {}
  }
  warnUnknown(notes, pointer, value, HINTS)
  const said = HINTS.filter((hint) => Object.hasOwn(value, hint))
  for (const hint of said) {
    if (typeof value[hint] !== 'boolean')
      addFieldError(notes, `${pointer}/${hint}`, 'must be true or false')
  }
  return { annotations: Object.fromEntries(said.map((hint) => [hint, value[hint] === true])) }
}

function readTypicalMs(notes: Notes, value: Json | undefined): number | undefined {
  if (value === undefined || value === null) return undefined
  return readCount(notes, '/meta/typical_ms', value, { max: TYPICAL_MS_MAX, otherwise: 1 })
}

function readEmoji(notes: Notes, value: Json | undefined): string | undefined {
  const pointer = '/meta/emoji'
  const emoji = readOptionalText(notes, pointer, value, { charsMax: EMOJI_UNITS_MAX })
  if (emoji === undefined || emoji === '') return undefined
  if (emoji.length <= EMOJI_UNITS_MAX && isOneEmoji(emoji)) return emoji
  addFieldError(
    notes,
    pointer,
    `is not one emoji of at most ${EMOJI_UNITS_MAX} UTF-16 units; send one or none`,
  )
  return undefined
}

function readTags(notes: Notes, value: Json | undefined): readonly string[] {
  const pointer = '/meta/tags'
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) {
    addFieldError(notes, pointer, `is not an array; send up to ${TAGS_MAX} strings`)
    return []
  }
  const items: readonly Json[] = value
  if (items.length > TAGS_MAX) {
    addFieldError(notes, pointer, `has ${items.length} tags; send at most ${TAGS_MAX}`)
    return []
  }
  return items.flatMap((tag, index) => {
    const wrong =
      typeof tag === 'string'
        ? checkText(tag, { charsMax: TAG_CHARS_MAX })
        : `is not a string; send 1 to ${TAG_CHARS_MAX} characters`
    if (wrong !== undefined) addFieldError(notes, `${pointer}${toJsonPointer([index])}`, wrong)
    return typeof tag === 'string' ? [tag] : []
  })
}
