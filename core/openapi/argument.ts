/** One argument of a tool, before its schema is written: where it came from and where it goes. */
import type { Json, JsonObject } from '../json/json.ts'
import { asciiName, cutName, distinctName } from './distinct-name.ts'
import { ARGUMENT_NAME_CHARS_MAX } from './limits.ts'

export type Argument = {
  readonly name: string
  /** The name in the document, where the argument has another. */
  readonly original?: string
  readonly required: boolean
  /** As the document has it, with references. */
  readonly schema: Json
  /** Ready as it is: not of the document. */
  readonly isWritten?: true
  readonly description: string | undefined
  /** `config.arguments` of the skill; undefined where a skill puts the argument anyway. */
  readonly place: JsonObject | undefined
}

/** The arguments of one tool. */
export type ArgumentNames = {
  readonly taken: Set<string>
  readonly hash: (text: string) => string
}

/** A name that model APIs take; the first one to ask keeps it, others get `{where}_` in front. */
export function argumentName(said: string, where: string, { hash, taken }: ArgumentNames): string {
  const fitted = (name: string) =>
    cutName(name, said, { charsMax: ARGUMENT_NAME_CHARS_MAX, hash }) || where
  const plain = safe(said)
  const own = fitted(plain)
  const wanted = taken.has(own) ? fitted(`${where}_${plain}`) : own
  const name = distinctName(wanted, taken, ARGUMENT_NAME_CHARS_MAX)
  taken.add(name)
  return name
}

/** The member `original` of an argument whose name is not the document's. */
export function originalOf(name: string, argument: string): { readonly original?: string } {
  return name === argument ? {} : { original: name }
}

function safe(text: string): string {
  return asciiName(text)
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^[_.-]+(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])_+$/g, '')
}
