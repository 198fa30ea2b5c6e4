/** Recognises an OpenAPI document that was sent as a skill, to refuse it with helpful words. */
import { refuse } from '../../errors.ts'
import { isJsonObject, type Json } from '../../json/json.ts'

const MESSAGE =
  'this is an OpenAPI document, and a skill describes one request; write a skill for each operation ' +
  'that agents need: its servers URL and path are config.endpoint, its parameters meta.parameters'

export const OPENAPI_REFUSAL = refuse('invalid_skill', `The text does not fit: ${MESSAGE}.`, {
  faults: [{ pointer: '', message: MESSAGE }],
})

const VERSION_FIELDS = ['openapi', 'swagger']

/** Recognises OpenAPI 3 and Swagger 2. A skill may have a field of that name, too. */
export function isOpenApi(definition: Json): boolean {
  if (!isJsonObject(definition)) return false
  if (Object.hasOwn(definition, 'meta') || Object.hasOwn(definition, 'config')) return false
  return VERSION_FIELDS.some((name) => ['string', 'number'].includes(typeof definition[name]))
}

/** Lines of a YAML text that are read, because comments may come before its first field. */
const LINES_MAX = 50
/** UTF-16 units of these lines. */
const UNITS_MAX = 10_000

/** Recognises a YAML document by its first field. No Markdown skill starts with such a line. */
export function isOpenApiText(text: string): boolean {
  const lines = text
    .slice(0, UNITS_MAX)
    .split('\n', LINES_MAX)
    .map((line) => line.trim())
  const first = lines.find((line) => line !== '' && line !== '---' && !line.startsWith('#'))
  return first !== undefined && /^["']?(?:openapi|swagger)["']? *:/.test(first)
}
