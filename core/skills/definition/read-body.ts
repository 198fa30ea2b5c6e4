/**
 * `config.body`: the body of a call, instead of its bare arguments (docs/service.md, Skill config).
 */
import type { Json } from '../../json/json.ts'
import type { HttpMethod } from '../skill.ts'
import { bodyFault } from './body-encoding.ts'
import { bodyFaults } from './body-faults.ts'
import { fault, type Notes } from './field-notes.ts'
import { type BodyTemplate, parseBody, type Template } from './template.ts'

const POINTER = '/config/body'

/** `contentType` is the skill's own header. Absent: the arguments themselves are the body. */
export function readBody(
  notes: Notes,
  value: Json | undefined,
  { method, contentType }: { method: HttpMethod; contentType: Template | undefined },
): BodyTemplate | undefined {
  if (value === undefined || value === null) return undefined
  if (method === 'GET' || method === 'HEAD') {
    fault(notes, POINTER, `does not go with ${method}; use query, or another method`)
    return undefined
  }
  const parsed = parseBody(value)
  if ('wrong' in parsed) {
    for (const { message, pointer } of bodyFaults(value)) {
      fault(notes, `${POINTER}${pointer}`, message)
    }
    return undefined
  }
  const wrong = bodyFault(parsed.body, contentType)
  if (wrong !== undefined) fault(notes, POINTER, wrong)
  return parsed.body
}
