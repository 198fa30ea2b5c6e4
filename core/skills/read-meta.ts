/** How a skill describes itself: `meta` of the unified JSON. */
import type { Json, JsonObject } from '../json/json.ts'
import { jsonPointer } from '../json/json-pointer.ts'
import {
  fault,
  type Notes,
  readCount,
  readObject,
  readOptionalText,
  readText,
  textFault,
  warnUnknown,
} from './field-notes.ts'
import {
  DESCRIPTION_CHARS_MAX,
  EMOJI_UNITS_MAX,
  NAME_CHARS_MAX,
  TAG_CHARS_MAX,
  TAGS_MAX,
  TYPICAL_MS_MAX,
} from './limits.ts'
import { isOneEmoji } from './one-emoji.ts'
import { readOutputSchema } from './read-output-schema.ts'
import { readParameters } from './read-parameters.ts'
import type { Skill } from './skill.ts'

export type Meta = Pick<
  Skill,
  'name' | 'description' | 'emoji' | 'tags' | 'parameters' | 'outputSchema' | 'typicalMs'
>

const KNOWN = ['name', 'description', 'emoji', 'tags', 'parameters', 'output_schema', 'typical_ms']

export function readMeta(
  notes: Notes,
  value: Json | undefined,
  { isStored }: { readonly isStored?: true } = {},
): Meta & { raw: JsonObject } {
  const raw = readObject(notes, '/meta', value, 'required')
  warnUnknown(notes, '/meta', raw, KNOWN)
  // A missing `meta` counts as one fault, not as one for each missing member.
  const inner = value === undefined ? { ...notes, faults: [] } : notes
  return {
    raw,
    name: readText(inner, '/meta/name', raw['name'], { charsMax: NAME_CHARS_MAX }),
    description: readText(inner, '/meta/description', raw['description'], {
      charsMax: DESCRIPTION_CHARS_MAX,
      lines: true,
    }),
    emoji: readEmoji(notes, raw['emoji'], isStored === true ? isSymbols : isOneEmoji),
    tags: readTags(notes, raw['tags']),
    parameters: readParameters(inner, raw['parameters']),
    outputSchema: readOutputSchema(notes, raw['output_schema']),
    typicalMs: readTypicalMs(notes, raw['typical_ms']),
  }
}

function readTypicalMs(notes: Notes, value: Json | undefined): number | undefined {
  if (value === undefined || value === null) return undefined
  return readCount(notes, '/meta/typical_ms', value, { max: TYPICAL_MS_MAX, otherwise: 1 })
}

function readEmoji(
  notes: Notes,
  value: Json | undefined,
  isEmoji: (text: string) => boolean,
): string | undefined {
  const pointer = '/meta/emoji'
  const emoji = readOptionalText(notes, pointer, value, { charsMax: EMOJI_UNITS_MAX })
  if (emoji === undefined || emoji === '') return undefined
  if (emoji.length <= EMOJI_UNITS_MAX && isEmoji(emoji)) return emoji
  fault(
    notes,
    pointer,
    `is not one emoji of at most ${EMOJI_UNITS_MAX} UTF-16 units; send one or none`,
  )
  return undefined
}

/** The form that an earlier build accepted as an emoji: its skills stay as they are. */
function isSymbols(text: string): boolean {
  return !/[\p{L}\s]/u.test(text)
}

function readTags(notes: Notes, value: Json | undefined): readonly string[] {
  const pointer = '/meta/tags'
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) {
    fault(notes, pointer, `is not an array; send up to ${TAGS_MAX} strings`)
    return []
  }
  const items: readonly Json[] = value
  if (items.length > TAGS_MAX) {
    fault(notes, pointer, `has ${items.length} tags; send at most ${TAGS_MAX}`)
    return []
  }
  return items.flatMap((tag, index) => {
    const wrong =
      typeof tag === 'string'
        ? textFault(tag, { charsMax: TAG_CHARS_MAX })
        : `is not a string; send 1 to ${TAG_CHARS_MAX} characters`
    if (wrong !== undefined) fault(notes, `${pointer}${jsonPointer([index])}`, wrong)
    return typeof tag === 'string' ? [tag] : []
  })
}
