/**
 * One argument of a tool, before its schema is written: its origin and its place in the request.
 */
import type { Json, JsonObject } from '../json/json.ts'
import { cutName, makeDistinctName, toAsciiName } from './distinct-name.ts'
import { ARGUMENT_NAME_CHARS_MAX } from './limits.ts'

export type Argument = {
  readonly name: string
  /** The name in the document, if the argument has another. */
  readonly original?: string
  readonly required: boolean
  /** The document's schema, with references. */
  readonly schema: Json
  /** True for a schema that is complete and not from the document. */
  readonly isWritten?: true
  readonly description: string | undefined
  /** The entry in `config.arguments`; undefined if the skill's default place is right. */
  readonly place: JsonObject | undefined
}

/** The arguments of one tool. */
export type ArgumentNames = {
  readonly taken: Set<string>
  readonly hash: (text: string) => string
}

/**
 * Makes a name that model APIs accept, and adds it to `taken`. If the name is taken, it gets the
 * prefix `{where}_`.
 */
export function takeArgumentName(
  original: string,
  where: string,
  { hash, taken }: ArgumentNames,
): string {
  const cutToLimit = (name: string) =>
    cutName(name, original, { charsMax: ARGUMENT_NAME_CHARS_MAX, hash }) || where
  const plain = toSafeName(original)
  const own = cutToLimit(plain)
  const wanted = taken.has(own) ? cutToLimit(`${where}_${plain}`) : own
  const name = makeDistinctName(wanted, taken, ARGUMENT_NAME_CHARS_MAX)
  taken.add(name)
  return name
}

/** Returns the member `original` for an argument whose name differs from the document's. */
export function withOriginalName(name: string, argument: string): { readonly original?: string } {
  return name === argument ? {} : { original: name }
}

function toSafeName(text: string): string {
  return toAsciiName(text)
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^[_.-]+(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])_+$/g, '')
}
