/**
 * Templates with the arguments in and the secrets still to come. A filled template is a list of texts
 * and secret names, so that nothing that holds a secret exists before the call needs it.
 */
import type { Json, JsonObject } from '../json/json.ts'
import type { InputName, Template, TemplatePiece } from '../skills/template.ts'

/** What places are filled with, secrets aside. */
export type Fills = {
  readonly args: JsonObject
  /** What the caller's `input` said, its state opened; empty in a first round. */
  readonly input: InputFills
}

export type InputFills = { readonly [name in InputName]?: Json }

/** A place that a call fills with a value before money moves. */
export type ValuePlace = Extract<TemplatePiece, { readonly kind: 'arg' | 'input' }>

export type SecretPlace = {
  readonly secret: string
  /** How the value is spelled at its place; as it is unless told. */
  readonly encode?: (value: string) => string
}

export type FilledText = readonly (string | SecretPlace)[]

/** How an argument or a secret is spelled at its place. */
export type Write = (value: Json | undefined) => string

export function plain(text: string): FilledText {
  return [text]
}

/** The place that is all of a template; undefined for any other template. */
export function lonePlace(template: Template): ValuePlace | undefined {
  const [only] = template
  if (only === undefined || template.length > 1) return undefined
  return only.kind === 'arg' || only.kind === 'input' ? only : undefined
}

/** Of a header or a query pair: a place alone without its argument (or null) means: no such pair. */
export function fillPair(template: Template, fills: Fills): FilledText | undefined {
  const alone = lonePlace(template)
  if (alone !== undefined && (valueAt(fills, alone) ?? null) === null) return undefined
  return fillText(template, fills, textOf)
}

/** A missing argument is ''. */
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

/** A secret that is not among them leaves its place empty. */
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

/** For judging a text before its secrets are there: each is one visible character. */
export function outlined(filled: FilledText): string {
  return finishWith(filled, () => 'x')
}

export function hasSecret(filled: FilledText): boolean {
  return filled.some((piece) => typeof piece !== 'string')
}

/**
 * UTF-16 units that arguments and inputs take at all their places. Judged before anything is filled: a template
 * may name one large argument ten thousand times.
 */
export function fillUnits(templates: readonly Template[], fills: Fills): number {
  const known = new Map<string, number>()
  let units = 0
  for (const piece of templates.flat()) {
    if (piece.kind !== 'arg' && piece.kind !== 'input') continue
    const place = nameOf(piece)
    const own = known.get(place) ?? textOf(valueAt(fills, piece)).length
    known.set(place, own)
    units += own
  }
  return units
}

/** Undefined where there is none: to a template an absent input is as a missing argument. */
export function valueAt({ args, input }: Fills, place: ValuePlace): Json | undefined {
  if (place.kind === 'input') return input[place.name]
  return Object.hasOwn(args, place.name) ? args[place.name] : undefined
}

/** As a template spells it: `args.city`, `input.state`. */
export function nameOf({ kind, name }: ValuePlace): string {
  return kind === 'arg' ? `args.${name}` : `input.${name}`
}

/** Text for a person's eye: objects as JSON, nothing for null. */
export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function finishWith(filled: FilledText, spell: (place: SecretPlace) => string): string {
  return filled.map((piece) => (typeof piece === 'string' ? piece : spell(piece))).join('')
}
