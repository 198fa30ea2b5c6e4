/**
 * Fills arguments into templates; secrets come later. A filled template is a list of texts and
 * secret names, so that no text with a secret exists before the call needs it.
 */
import type { Json, JsonObject } from '../json/json.ts'
import { atPointer, jsonPointer } from '../json/json-pointer.ts'
import type { InputName, Template, TemplatePiece } from '../skills/definition/template.ts'

/** The values for places, except secrets. */
export type Fills = {
  readonly args: JsonObject
  /** The caller's `input` with its state unsealed; empty in the first round. */
  readonly input: InputFills
}

export type InputFills = { readonly [name in InputName]?: Json }

/** A place that is filled before money moves. */
export type ValuePlace = Extract<TemplatePiece, { readonly kind: 'arg' | 'input' }>

export type ArgPlace = Extract<TemplatePiece, { readonly kind: 'arg' }>

export type SecretPlace = {
  readonly secret: string
  /** How the secret is encoded at its place; unchanged when undefined. */
  readonly encode?: (value: string) => string
}

export type FilledText = readonly (string | SecretPlace)[]

/** How a value is encoded at its place. */
export type Write = (value: Json | undefined) => string

export function plain(text: string): FilledText {
  return [text]
}

/** The place, when a template is one place and nothing else; undefined for other templates. */
export function lonePlace(template: Template): ValuePlace | undefined {
  const [only] = template
  if (only === undefined || template.length > 1) return undefined
  return only.kind === 'arg' || only.kind === 'input' ? only : undefined
}

/**
 * A header or query pair whose template is one place with a missing or null argument is left out.
 */
export function fillPair(template: Template, fills: Fills): FilledText | undefined {
  const alone = lonePlace(template)
  if (alone !== undefined && (valueAt(fills, alone) ?? null) === null) return undefined
  return fillText(template, fills, textOf)
}

/** A missing argument becomes ''. */
export function fillText(template: Template, fills: Fills, write: Write): FilledText {
  return template.map((piece) => {
    switch (piece.kind) {
      case 'text':
        return piece.text
      case 'arg':
      case 'input':
        return write(valueAt(fills, piece)).toWellFormed()
      case 'secret':
        return { secret: piece.name }
      default:
        return piece satisfies never
    }
  })
}

/** A secret that is not in the map leaves its place empty. */
export function finish(
  filled: FilledText,
  secrets: ReadonlyMap<string, string>,
  write: Write = textOf,
): string {
  return finishWith(filled, ({ secret, encode }) => {
    const value = secrets.get(secret) ?? ''
    return write(encode === undefined ? value : encode(value))
  })
}

/** The text with one visible character for each secret, to judge it before the secrets are read. */
export function outlined(filled: FilledText): string {
  return finishWith(filled, () => 'x')
}

export function hasSecret(filled: FilledText): boolean {
  return filled.some((piece) => typeof piece !== 'string')
}

/**
 * UTF-16 units that arguments and inputs take at all their places. Checked before anything is
 * filled, because a template may name one large argument ten thousand times.
 */
export function fillUnits(templates: readonly Template[], fills: Fills): number {
  const known = new Map<Json, number>()
  let units = 0
  for (const template of templates) {
    for (const piece of template) {
      if (piece.kind !== 'arg' && piece.kind !== 'input') continue
      units += textUnits(valueAt(fills, piece), known)
    }
  }
  return units
}

/** Writes a list or an object once, however many places it has. */
function textUnits(value: Json | undefined, known: Map<Json, number>): number {
  if (typeof value !== 'object' || value === null) return textOf(value).length
  const units = known.get(value) ?? textOf(value).length
  known.set(value, units)
  return units
}

/** Undefined when the value is absent: an absent input counts as a missing argument. */
export function valueAt({ args, input }: Fills, place: ValuePlace): Json | undefined {
  if (place.kind === 'input') return input[place.name]
  const value = Object.hasOwn(args, place.name) ? args[place.name] : undefined
  if (place.path === undefined || value === undefined) return value
  return atPointer(value, jsonPointer(place.path))
}

/** The place as a template spells it: `args.city`, `args.range.from`, `input.state`. */
export function nameOf(place: ValuePlace): string {
  return place.kind === 'arg' ? `args.${argParts(place).join('.')}` : `input.${place.name}`
}

/** The argument's name and the way into it. */
export function argParts({ name, path = [] }: ArgPlace): readonly string[] {
  return [name, ...path]
}

/** Plain text: objects as JSON, null as ''. */
export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function finishWith(filled: FilledText, spell: (place: SecretPlace) => string): string {
  const [only] = filled
  // One text, as most values are.
  if (typeof only === 'string' && filled.length === 1) return only
  return filled.map((piece) => (typeof piece === 'string' ? piece : spell(piece))).join('')
}
