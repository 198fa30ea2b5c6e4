/**
 * Fills arguments into templates; secrets are added later. A filled template is a list of texts and
 * secret names, so that no text with a secret exists before the request is sent.
 */
import type { Json, JsonObject } from '../json/json.ts'
import { readPointer, toJsonPointer } from '../json/json-pointer.ts'
import type { InputName, Template, TemplatePiece } from '../skills/definition/template.ts'

/** The values for all places except secrets. */
export type Fills = {
  readonly args: JsonObject
  /** The caller's `input` with its state opened; empty in the first round. */
  readonly input: InputFills
}

export type InputFills = { readonly [name in InputName]?: Json }

/** A place that is filled before credits are held. */
export type ValuePlace = Extract<TemplatePiece, { readonly kind: 'arg' | 'input' }>

export type ArgPlace = Extract<TemplatePiece, { readonly kind: 'arg' }>

export type SecretPiece = {
  readonly secret: string
  /** Encodes the secret; without it, the secret is unchanged. */
  readonly encode?: (value: string) => string
}

export type FilledText = readonly (string | SecretPiece)[]

/** Encodes a value for its place. */
export type Write = (value: Json | undefined) => string

export function toFilledText(text: string): FilledText {
  return [text]
}

/** Returns the place of a template that has nothing else; undefined for other templates. */
export function findLonePlace(template: Template): ValuePlace | undefined {
  const [only] = template
  if (only === undefined || template.length > 1) return undefined
  return only.kind === 'arg' || only.kind === 'input' ? only : undefined
}

/**
 * Fills a header or query pair. Returns undefined for a lone place without a value or with null.
 */
export function fillPair(template: Template, fills: Fills): FilledText | undefined {
  const alone = findLonePlace(template)
  if (alone !== undefined && (readFill(fills, alone) ?? null) === null) return undefined
  return fillText(template, fills, toPlainText)
}

/** Fills a template; a missing argument becomes ''. */
export function fillText(template: Template, fills: Fills, write: Write): FilledText {
  return template.map((piece) => {
    switch (piece.kind) {
      case 'text':
        return piece.text
      case 'arg':
      case 'input':
        return write(readFill(fills, piece)).toWellFormed()
      case 'secret':
        return { secret: piece.name }
      default:
        return piece satisfies never
    }
  })
}

/** Adds the secrets. A secret that is not in the map becomes ''. */
export function fillSecretPieces(
  filled: FilledText,
  secrets: ReadonlyMap<string, string>,
  write: Write = toPlainText,
): string {
  return finishWith(filled, ({ secret, encode }) => {
    const value = secrets.get(secret) ?? ''
    return write(encode === undefined ? value : encode(value))
  })
}

/** Writes `x` for each secret, so that the text can be checked before the secrets are read. */
export function outlineText(filled: FilledText): string {
  return finishWith(filled, () => 'x')
}

export function hasSecret(filled: FilledText): boolean {
  return filled.some((piece) => typeof piece !== 'string')
}

/**
 * Counts the UTF-16 units of arguments and inputs at all their places, before the places are
 * filled: a template may name one large argument ten thousand times.
 */
export function countFillUnits(templates: readonly Template[], fills: Fills): number {
  const counted = new Map<Json, number>()
  let units = 0
  for (const template of templates) {
    for (const piece of template) {
      if (piece.kind !== 'arg' && piece.kind !== 'input') continue
      units += countUnits(readFill(fills, piece), counted)
    }
  }
  return units
}

/** Writes a list or an object only once, however many places it has. */
function countUnits(value: Json | undefined, counted: Map<Json, number>): number {
  if (typeof value !== 'object' || value === null) return toPlainText(value).length
  const units = counted.get(value) ?? toPlainText(value).length
  counted.set(value, units)
  return units
}

/** Returns the value for a place; undefined if the argument or input is absent. */
export function readFill({ args, input }: Fills, place: ValuePlace): Json | undefined {
  if (place.kind === 'input') return input[place.name]
  const value = Object.hasOwn(args, place.name) ? args[place.name] : undefined
  if (place.path === undefined || value === undefined) return value
  return readPointer(value, toJsonPointer(place.path))
}

/** Writes a place as in a template: `args.city`, `args.range.from`, `input.state`. */
export function writePlaceName(place: ValuePlace): string {
  return place.kind === 'arg' ? `args.${toArgPath(place).join('.')}` : `input.${place.name}`
}

/** Returns the path of a place: the argument's name, then the members inside. */
export function toArgPath({ name, path = [] }: ArgPlace): readonly string[] {
  return [name, ...path]
}

/** Writes a value as plain text: objects as JSON, null as ''. */
export function toPlainText(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function finishWith(filled: FilledText, spell: (place: SecretPiece) => string): string {
  const [only] = filled
  // Most values are one text.
  if (typeof only === 'string' && filled.length === 1) return only
  return filled.map((piece) => (typeof piece === 'string' ? piece : spell(piece))).join('')
}
