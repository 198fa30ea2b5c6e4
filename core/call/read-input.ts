/**
 * `input` of POST /v1/execute: the client's answers, the state that came with the questions, and
 * the client's capabilities. Unknown members are refused, as in the rest of the body. Capabilities
 * of any name are accepted, because clients define them.
 */
import type { FieldFault } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { jsonPointer } from '../json/json-pointer.ts'
import type { ExecuteInput } from './execute.ts'
import {
  INPUT_CAPABILITIES_MAX,
  INPUT_KEY_CHARS_MAX,
  INPUT_RESPONSES_MAX,
  INPUT_STATE_CHARS_MAX,
} from './limits.ts'

const KNOWN = ['responses', 'state', 'capabilities']
/** Characters of a caller's name that a pointer in a refusal shows. */
const NAME_SHOWN_MAX = 64

/** Undefined when absent or faulty; faults are added to `faults`. */
export function readInput(value: Json | undefined, faults: FieldFault[]): ExecuteInput | undefined {
  if (value === undefined) return undefined
  if (!isJsonObject(value)) {
    faults.push({ pointer: '/input', message: 'must be an object; leave it out for none' })
    return undefined
  }
  const unknown = Object.keys(value).find((name) => !KNOWN.includes(name))
  if (unknown !== undefined) {
    const message = `is not a field of input; it takes ${KNOWN.join(', ')}`
    faults.push({ pointer: `/input${pointerTo(unknown)}`, message })
  }
  const { capabilities, responses, state } = value
  const read = {
    ...readObjects(faults, 'responses', responses, INPUT_RESPONSES_MAX),
    ...readObjects(faults, 'capabilities', capabilities, INPUT_CAPABILITIES_MAX),
  }
  if (state === undefined) return read
  if (typeof state === 'string' && state.length <= INPUT_STATE_CHARS_MAX) return { ...read, state }
  const message = `must be the requestState that came with the questions, at most ${INPUT_STATE_CHARS_MAX} characters`
  faults.push({ pointer: '/input/state', message })
  return undefined
}

function readObjects<Name extends 'responses' | 'capabilities'>(
  faults: FieldFault[],
  name: Name,
  value: Json | undefined,
  countMax: number,
): { readonly [name in Name]?: JsonObject } {
  if (value === undefined) return {}
  const pointer = `/input/${name}`
  const entries = isJsonObject(value) ? Object.entries(value) : undefined
  if (entries === undefined || entries.length > countMax) {
    faults.push({ pointer, message: `must be an object of at most ${countMax} objects by name` })
    return {}
  }
  for (const [key, member] of entries) {
    const isLong = key.length > INPUT_KEY_CHARS_MAX
    if (!isLong && isJsonObject(member)) continue
    const wrong = isLong
      ? `has a name of over ${INPUT_KEY_CHARS_MAX} characters`
      : 'must be an object'
    faults.push({ pointer: pointer + pointerTo(key), message: wrong })
    return {}
  }
  return { [name]: value } as { readonly [name in Name]?: JsonObject }
}

function pointerTo(name: string): string {
  return jsonPointer([name.slice(0, NAME_SHOWN_MAX).toWellFormed()])
}
