/**
 * The tag `skillgate:event` of a Lambda function: the members of its event, as far as the
 * characters of tags allow: `city:string days:integer:optional`. A tag is the only description of
 * a function's event that can be read without reading its code.
 */
import { err, ok, type Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'

export const EVENT_TAG = 'skillgate:event'

const TYPES: ReadonlySet<string> = new Set([
  'array',
  'boolean',
  'integer',
  'number',
  'object',
  'string',
])
const NAME = /^[A-Za-z0-9_-]{1,64}$/

/** Returns a JSON Schema of the arguments. An error is a clause that follows the tag's name. */
export function readEventTag(text: string): Result<JsonObject, string> {
  const members = text.split(/\s+/).filter((part) => part !== '')
  const properties: [string, JsonObject][] = []
  const required: string[] = []
  for (const member of members) {
    const [name = '', type = '', kind, ...more] = member.split(':')
    const isOptional = kind === 'optional'
    const isGood = NAME.test(name) && TYPES.has(type) && (kind === undefined || isOptional)
    if (!isGood || more.length > 0) {
      return err(
        `has ${member}; write name:type or name:type:optional, with a type of ${[...TYPES].join(', ')}`,
      )
    }
    if (properties.some(([one]) => one === name)) return err(`has ${name} twice`)
    properties.push([name, { type }])
    if (!isOptional) required.push(name)
  }
  return ok({
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  })
}
