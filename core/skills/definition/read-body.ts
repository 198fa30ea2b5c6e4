/** Reads `config.body`, the template of a call's body (docs/service.md, Skill config). */
import type { FieldError } from '../../errors.ts'
import { isJsonObject, type Json } from '../../json/json.ts'
import { toJsonPointer } from '../../json/json-pointer.ts'
import type { HttpMethod } from '../skill.ts'
import { checkBodyEncoding } from './body-encoding.ts'
import { addFieldError, type Notes } from './field-notes.ts'
import { type BodyTemplate, parseBody, type Template } from './template.ts'

/**
 * `contentType` is the skill's own header, `pointer` the place of `value`. Returns undefined if the
 * arguments are the body.
 */
export function readBody(
  notes: Notes,
  value: Json | undefined,
  {
    contentType,
    method,
    pointer: at,
  }: { method: HttpMethod; contentType: Template | undefined; pointer: string },
): BodyTemplate | undefined {
  if (value === undefined || value === null) return undefined
  if (method === 'GET' || method === 'HEAD') {
    addFieldError(notes, at, `does not go with ${method}; use query, or another method`)
    return undefined
  }
  const parsed = parseBody(value)
  if ('wrong' in parsed) {
    for (const { message, pointer } of findBodyErrors(value)) {
      addFieldError(notes, `${at}${pointer}`, message)
    }
    return undefined
  }
  const wrong = checkBodyEncoding(parsed.body, contentType)
  if (wrong !== undefined) addFieldError(notes, at, wrong)
  return parsed.body
}

/**
 * Returns every error of a body that {@link parseBody} refuses, which itself stops at the first.
 * Pointers are relative to the body.
 */
function findBodyErrors(value: Json, pointer = ''): readonly FieldError[] {
  const members = Array.isArray(value)
    ? value.map((item: Json, index) => [String(index), item] as const)
    : isJsonObject(value)
      ? Object.entries(value)
      : undefined
  if (members === undefined) return checkPart(value, pointer)
  return members.flatMap(([name, item]) => {
    const at = pointer + toJsonPointer([name])
    // An object with this name alone, to check the name for places.
    const inName = isJsonObject(value) ? checkPart({ [name]: null }, pointer) : []
    return [...inName, ...findBodyErrors(item, at)]
  })
}

function checkPart(value: Json, pointer: string): readonly FieldError[] {
  const parsed = parseBody(value, pointer)
  return 'wrong' in parsed ? [{ pointer: parsed.pointer, message: parsed.wrong }] : []
}
