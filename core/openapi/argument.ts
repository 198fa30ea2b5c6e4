/** One argument of a tool, before its schema is written: where it came from and where it goes. */
import type { Json, JsonObject } from '../json/json.ts'
import { ARGUMENT_NAME_CHARS_MAX } from './limits.ts'

export type Argument = {
  readonly name: string
  readonly required: boolean
  /** As the document has it, with references. */
  readonly schema: Json
  /** Ready as it is: not of the document. */
  readonly isWritten?: true
  readonly description: string | undefined
  /** `config.arguments` of the skill; undefined where a skill puts the argument anyway. */
  readonly place: JsonObject | undefined
}

/** Reasons why an operation is not imported, and remarks on one that is. */
export type Remarks = { readonly reasons: string[]; readonly notes: string[] }

/** A name that model APIs take; the first one to ask keeps it, others get `{where}_` in front. */
export function argumentName(said: string, where: string, takenNames: Set<string>): string {
  const plain = safe(said) || where
  let name = plain
  for (let count = 1; takenNames.has(name); count += 1) {
    name = safe(count === 1 ? `${where}_${plain}` : `${where}_${plain}_${count}`)
  }
  takenNames.add(name)
  return name
}

function safe(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^[_.-]+(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])_+$/g, '')
    .slice(0, ARGUMENT_NAME_CHARS_MAX)
}
