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

export function plain(text: string): Filled {
  return [text]
}

/** Of a header or a query pair: a place alone without its argument (or null) means: no such pair. */
export function fillPair(template: Template, args: JsonObject): Filled | undefined {
  const [only, ...more] = template
  const isAlone = only?.kind === 'arg' && more.length === 0
  if (isAlone && (argOf(args, only.name) ?? null) === null) return undefined
  return fillText(template, args, textOf)
}

/** `write` is how an argument is spelled at its place; a missing one is ''. */
export function fillText(
  template: Template,
  args: JsonObject,
  write: (value: Json | undefined) => string,
): Filled {
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

/** A secret that is not among them leaves its place empty: for judging the rest before it is there. */
export function finish(
  filled: Filled,
  secrets: ReadonlyMap<string, string>,
  write: (secret: string) => string = (secret) => secret,
): string {
  return filled
    .map((piece) => {
      if (typeof piece === 'string') return piece
      const value = secrets.get(piece.secret) ?? ''
      return write(piece.encode === undefined ? value : piece.encode(value))
    })
    .join('')
}

export function hasSecret(filled: Filled): boolean {
  return filled.some((piece) => typeof piece !== 'string')
}

export function argOf(args: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(args, name) ? args[name] : undefined
}

/** Text for a person's eye: objects as JSON, nothing for null. */
export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
