/**
 * Templates with the arguments in and the secrets still to come. A filled template is a list of texts
 * and secret names, so that nothing that holds a secret exists before the call needs it.
 */
import type { Json, JsonObject } from '../json/json.ts'
import type { Template } from '../skills/template.ts'

export type SecretPlace = {
  readonly secret: string
  /** How the value is spelled at its place; as it is unless told. */
  readonly encode?: (value: string) => string
}

export type Filled = readonly (string | SecretPlace)[]

/** How an argument or a secret is spelled at its place. */
export type Write = (value: Json | undefined) => string

export function plain(text: string): Filled {
  return [text]
}

/** The argument that a template is nothing but a place of; undefined for any other template. */
export function loneArg(template: Template): string | undefined {
  const [only, ...more] = template
  return only?.kind === 'arg' && more.length === 0 ? only.name : undefined
}

/** Of a header or a query pair: a place alone without its argument (or null) means: no such pair. */
export function fillPair(template: Template, args: JsonObject): Filled | undefined {
  const alone = loneArg(template)
  if (alone !== undefined && (argOf(args, alone) ?? null) === null) return undefined
  return fillText(template, args, textOf)
}

/** A missing argument is ''. */
export function fillText(template: Template, args: JsonObject, write: Write): Filled {
  return template.map((piece) => {
    switch (piece.kind) {
      case 'text':
        return piece.text
      case 'arg':
        return write(argOf(args, piece.name)).toWellFormed()
      case 'secret':
        return { secret: piece.name }
      default:
        return piece satisfies never
    }
  })
}

/** A secret that is not among them leaves its place empty. */
export function finish(
  filled: Filled,
  secrets: ReadonlyMap<string, string>,
  write: Write = textOf,
): string {
  return finishWith(filled, ({ secret, encode }) => {
    const value = secrets.get(secret) ?? ''
    return write(encode === undefined ? value : encode(value))
  })
}

/** For judging a text before its secrets are there: each is one visible character. */
export function outlined(filled: Filled): string {
  return finishWith(filled, () => 'x')
}

export function hasSecret(filled: Filled): boolean {
  return filled.some((piece) => typeof piece !== 'string')
}

/**
 * UTF-16 units that arguments take at all their places. Judged before anything is filled: a template
 * may name one large argument ten thousand times.
 */
export function argUnits(templates: readonly Template[], args: JsonObject): number {
  const known = new Map<string, number>()
  let units = 0
  for (const piece of templates.flat()) {
    if (piece.kind !== 'arg') continue
    const own = known.get(piece.name) ?? textOf(argOf(args, piece.name)).length
    known.set(piece.name, own)
    units += own
  }
  return units
}

export function argOf(args: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(args, name) ? args[name] : undefined
}

/** Text for a person's eye: objects as JSON, nothing for null. */
export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function finishWith(filled: Filled, spell: (place: SecretPlace) => string): string {
  return filled.map((piece) => (typeof piece === 'string' ? piece : spell(piece))).join('')
}
