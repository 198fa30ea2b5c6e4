/** Parts of a skill as a call needs them, for the tests of requests. */

import type { Json } from '../../../core/json/json.ts'
import type { CallableSkill } from '../../../core/request/request-plan.ts'
import { findBodyEncoding } from '../../../core/skills/definition/body-encoding.ts'
import {
  parseBody,
  parseTemplate,
  type Template,
} from '../../../core/skills/definition/template.ts'

export type Part = CallableSkill

export function skill(endpoint: string, more: Partial<Part> = {}): Part {
  return {
    endpoint,
    method: 'GET',
    parameters: {},
    headers: {},
    query: {},
    responseAs: 'auto',
    auth: undefined,
    body: undefined,
    bodyEncoding: findBodyEncoding(more.headers?.['content-type']),
    ...more,
  }
}

export function template(text: string): Template {
  const parsed = parseTemplate(text)
  if ('wrong' in parsed) throw new Error(parsed.wrong)
  return parsed.template
}

export function body(value: Json) {
  const parsed = parseBody(value)
  if ('wrong' in parsed) throw new Error(parsed.wrong)
  return parsed.body
}
