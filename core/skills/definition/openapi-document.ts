/** Tells an OpenAPI document from a skill, so that its sender learns more than what a skill lacks. */
import { refuse } from '../../errors.ts'
import { isJsonObject, type Json } from '../../json/json.ts'

const MESSAGE =
  'this is an OpenAPI document, and a skill describes one request; write a skill for each operation ' +
  'that agents need: its servers URL and path are config.endpoint, its parameters meta.parameters'

export const OPENAPI = refuse('invalid_skill', `The text does not fit: ${MESSAGE}.`, {
  faults: [{ pointer: '', message: MESSAGE }],
})

const VERSION_FIELDS = ['openapi', 'swagger']

/** OpenAPI 3 and Swagger 2. A skill may have such a field for its own purposes. */
export function isOpenApi(definition: Json): boolean {
  if (!isJsonObject(definition)) return false
  if (Object.hasOwn(definition, 'meta') || Object.hasOwn(definition, 'config')) return false
  return VERSION_FIELDS.some((name) => ['string', 'number'].includes(typeof definition[name]))
}

/** Lines of a YAML text that are looked at: comments may come before its first field. */
const LINES_MAX = 50
/** UTF-16 units of them. */
const UNITS_MAX = 10_000

/** The YAML form, by its first field. A Markdown skill begins with no such line. */
export function isOpenApiText(text: string): boolean {
  const lines = text
    .slice(0, UNITS_MAX)
    .split('\n', LINES_MAX)
    .map((line) => line.trim())
  const first = lines.find((line) => line !== '' && line !== '---' && !line.startsWith('#'))
  return first !== undefined && /^["']?(?:openapi|swagger)["']? *:/.test(first)
}
