/**
 * Judges at sync whether an output schema leaves room for the member that `response.ok_statuses` and
 * `response.show_headers` add to structured content: clients discard a result that does not fit.
 */

import type { FieldFault } from '../../errors.ts'
import { isJsonObject } from '../../json/json.ts'
import { HTTP_MEMBER } from '../../response/http-note.ts'
import type { Skill } from '../../skills/skill.ts'

export function httpMemberFaults({
  okStatuses,
  outputSchema,
  shownHeaders,
}: Pick<Skill, 'okStatuses' | 'outputSchema' | 'shownHeaders'>): readonly FieldFault[] {
  if (okStatuses === undefined && shownHeaders === undefined) return []
  if (outputSchema === undefined || outputSchema['additionalProperties'] !== false) return []
  const { properties } = outputSchema
  if (isJsonObject(properties) && Object.hasOwn(properties, HTTP_MEMBER)) return []
  const message = `forbids the member ${HTTP_MEMBER} that response.ok_statuses and response.show_headers add; put "${HTTP_MEMBER}": {"type": "object"} into its properties`
  return [{ pointer: '/meta/output_schema/additionalProperties', message }]
}
