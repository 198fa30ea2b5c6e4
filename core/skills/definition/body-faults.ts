/** Every fault of a body's templates, where reading stops at the first. */
import type { FieldFault } from '../../errors.ts'
import { isJsonObject, type Json } from '../../json/json.ts'
import { jsonPointer } from '../../json/json-pointer.ts'
import { parseBody } from './template.ts'

/** Pointers lead into the body. Not empty for a body that {@link parseBody} refuses. */
export function bodyFaults(value: Json, pointer = ''): readonly FieldFault[] {
  const members = Array.isArray(value)
    ? value.map((item: Json, index) => [String(index), item] as const)
    : isJsonObject(value)
      ? Object.entries(value)
      : undefined
  if (members === undefined) return faultOf(value, pointer)
  return members.flatMap(([name, item]) => {
    const at = pointer + jsonPointer([name])
    // A member alone, so that a place in its name is judged as well.
    const inName = isJsonObject(value) ? faultOf({ [name]: null }, pointer) : []
    return [...inName, ...bodyFaults(item, at)]
  })
}

function faultOf(value: Json, pointer: string): readonly FieldFault[] {
  const parsed = parseBody(value, pointer)
  return 'wrong' in parsed ? [{ pointer: parsed.pointer, message: parsed.wrong }] : []
}
