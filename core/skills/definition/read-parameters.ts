/**
 * Reads `meta.parameters`, the JSON Schema of a tool's arguments. One tool with a schema that MCP
 * clients refuse costs them the whole list, so their checks are repeated here. The port `Schemas`
 * checks whether the schema is valid.
 */
import { isDeeperThan } from '../../json/depth.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { toJsonPointer } from '../../json/json-pointer.ts'
import { PARAMETERS_DEPTH_MAX, PROPERTIES_MAX } from '../limits.ts'
import { addFieldError, type Notes } from './field-notes.ts'
import { readHeaderAnnotations } from './header-annotations.ts'

const POINTER = '/meta/parameters'
/** All skills without arguments have this object, so that they share its compiled form. */
const NO_PARAMETERS: JsonObject = Object.freeze({ type: 'object', properties: Object.freeze({}) })

/** Names that the strictest model APIs accept. They refuse a whole request for any other name. */
const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,64}$/
const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf']

/** Returns the same object, because its compiled form is cached by identity. */
export function readParameters(notes: Notes, value: Json | undefined): JsonObject {
  if (value === undefined) {
    notes.warnings.push(`${POINTER}: is missing; the tool is listed without arguments`)
    return NO_PARAMETERS
  }
  if (!isJsonObject(value)) {
    addFieldError(
      notes,
      POINTER,
      'is not an object; send a JSON Schema {"type":"object","properties":{…}}',
    )
    return NO_PARAMETERS
  }
  if (isDeeperThan(value, PARAMETERS_DEPTH_MAX)) {
    addFieldError(notes, POINTER, `nests over ${PARAMETERS_DEPTH_MAX} levels; flatten it`)
    return NO_PARAMETERS
  }
  if (value['type'] !== 'object') {
    addFieldError(notes, `${POINTER}/type`, 'must be "object": arguments are always one object')
  }
  const properties = readProperties(notes, value['properties'])
  readRequired(notes, value['required'], properties)
  for (const keyword of ALTERNATIVES) {
    if (!Object.hasOwn(value, keyword)) continue
    notes.warnings.push(
      `${POINTER}/${keyword}: some model APIs refuse a tool with ${keyword} at the root; move it into a property`,
    )
  }
  readHeaderAnnotations(notes, POINTER, value)
  return value
}

/** `true` and `false` are valid schemas. Lists write them as objects for clients that need that. */
function readProperties(notes: Notes, value: Json | undefined): JsonObject {
  const pointer = `${POINTER}/properties`
  if (value === undefined) return {}
  if (!isJsonObject(value)) {
    addFieldError(notes, pointer, 'is not an object; send {"name": {"type": …}, …}')
    return {}
  }
  const entries = Object.entries(value)
  if (entries.length > PROPERTIES_MAX) {
    addFieldError(
      notes,
      pointer,
      `has ${entries.length} parameters; send at most ${PROPERTIES_MAX}`,
    )
  }
  for (const [name, schema] of entries) {
    warnName(notes, name)
    if (isJsonObject(schema) || typeof schema === 'boolean') continue
    const at = `${pointer}${toJsonPointer([name])}`
    addFieldError(notes, at, 'is not a schema; send an object such as {"type":"string"}')
  }
  return value
}

function warnName(notes: Notes, name: string): void {
  if (PLAIN_NAME.test(name)) return
  notes.warnings.push(
    `${POINTER}/properties${toJsonPointer([name])}: some model APIs refuse such a name; use 1 to 64 characters of A-Z a-z 0-9 _ . -`,
  )
}

function readRequired(notes: Notes, value: Json | undefined, properties: JsonObject): void {
  const pointer = `${POINTER}/required`
  if (value === undefined) return
  if (!Array.isArray(value) || !value.every((name) => typeof name === 'string')) {
    addFieldError(
      notes,
      pointer,
      'is not an array of strings; name the parameters that must be given',
    )
    return
  }
  const names: readonly string[] = value
  for (const name of names) {
    if (Object.hasOwn(properties, name)) continue
    notes.warnings.push(`${pointer}: requires ${name}, which is not in properties`)
  }
}
