/**
 * Checks `x-mcp-header` in `meta.parameters`, which marks an argument that clients repeat in an
 * HTTP header. Clients silently drop a tool with an invalid annotation, so a sync refuses it. Bound
 * by MCP 2026-07-28, server/tools, x-mcp-header.
 */
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { toJsonPointer } from '../../json/json-pointer.ts'
import { PARAM_HEADER_CHARS_MAX } from '../limits.ts'
import { addFieldError, type Notes } from './field-notes.ts'

const ANNOTATION = 'x-mcp-header'
/** A token (RFC 9110 section 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const TYPES: readonly Json[] = ['boolean', 'integer', 'string']
/** Keywords whose values are data and never schemas. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples'])

export function readHeaderAnnotations(notes: Notes, pointer: string, parameters: JsonObject): void {
  visitSchema({ notes, headers: new Set() }, parameters, {
    pointer,
    isParameter: false,
    isReached: true,
  })
}

type Findings = { readonly notes: Notes; readonly headers: Set<string> }
/** `isReached`: the path to the schema has only members of `properties`. */
type Place = {
  readonly pointer: string
  readonly isParameter: boolean
  readonly isReached: boolean
}

function visitSchema(visited: Findings, schema: Json, place: Place): void {
  if (!isJsonObject(schema)) return
  const wrong = checkAnnotation(visited, schema, place)
  if (wrong !== undefined) addFieldError(visited.notes, `${place.pointer}/${ANNOTATION}`, wrong)
  for (const [keyword, value] of Object.entries(schema)) {
    const pointer = `${place.pointer}${toJsonPointer([keyword])}`
    if (keyword === 'properties' && isJsonObject(value)) {
      for (const [name, inner] of Object.entries(value)) {
        const at = `${pointer}${toJsonPointer([name])}`
        visitSchema(visited, inner, { pointer: at, isParameter: true, isReached: place.isReached })
      }
    } else if (!DATA.has(keyword)) visitOthers(visited, value, pointer)
  }
}

/**
 * Visits schemas under other keywords: by name (`$defs`), in lists (`anyOf`) or alone (`items`).
 */
function visitOthers(visited: Findings, value: Json, pointer: string): void {
  const place = { pointer, isParameter: false, isReached: false }
  visitSchema(visited, value, place)
  if (!Array.isArray(value)) return
  for (const [index, inner] of value.entries()) {
    visitSchema(visited, inner, { ...place, pointer: `${pointer}/${index}` })
  }
}

function checkAnnotation(
  { headers }: Findings,
  schema: JsonObject,
  { isParameter, isReached }: Place,
): string | undefined {
  if (!Object.hasOwn(schema, ANNOTATION)) return undefined
  const header = schema[ANNOTATION]
  if (typeof header !== 'string' || !TOKEN.test(header) || header.length > PARAM_HEADER_CHARS_MAX) {
    return `is not a header name of 1 to ${PARAM_HEADER_CHARS_MAX} letters, digits and -; send one such as Region`
  }
  if (!isReached || !isParameter) {
    return 'is not on a parameter that properties alone lead to; clients drop such a tool, so move or remove it'
  }
  if (!TYPES.includes(schema['type'] ?? null)) {
    return 'is on a parameter that is not a string, integer or boolean; give it one such type, or remove this'
  }
  const name = header.toLowerCase()
  if (headers.has(name)) return 'is given twice (case does not count); rename one of the two'
  headers.add(name)
  return undefined
}
