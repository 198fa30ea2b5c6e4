/**
 * Formats rows of docs/admin-api.md: the query parameters and the fields of the body of an
 * operation.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'

/** Returns the rows of query parameters, without `?cursor=`, which is the same in every list. */
export function toParameterRows({ parameters }: JsonObject): readonly string[][] {
  const all = Array.isArray(parameters) ? parameters.filter(isJsonObject) : []
  return all
    .filter((one) => one['in'] === 'query' && one['name'] !== 'cursor')
    .map((one) => [
      `\`?${one['name']}=\``,
      formatValueRule(one['schema'], {}),
      `${one['description'] ?? ''}`,
    ])
}

/** Returns the rows of a JSON body; none for bodies that are lists or texts. */
export function toFieldRows(
  { requestBody }: JsonObject,
  document: JsonObject,
): readonly string[][] {
  const body = readSchema(requestBody, document)
  const required = Array.isArray(body['required']) ? body['required'] : []
  const properties = isJsonObject(body['properties']) ? body['properties'] : {}
  return Object.entries(properties).map(([name, schema]) => [
    `\`${name}\`${required.includes(name) ? ', required' : ''}`,
    formatValueRule(schema, document),
    readDescription(schema, document),
  ])
}

/**
 * Returns the members of a JSON response, with ? after those that may be absent; '' for a response
 * of another kind.
 */
export function formatShape(answer: JsonObject, document: JsonObject): string {
  const body = readSchema(answer, document)
  const required = Array.isArray(body['required']) ? body['required'] : []
  const names = isJsonObject(body['properties']) ? Object.keys(body['properties']) : []
  const members = names.map((name) => (required.includes(name) ? `\`${name}\`` : `\`${name}\`?`))
  return members.length === 0 ? '' : ` Members: ${members.join(', ')}`
}

/** Returns the rule of a value in words. */
export function formatValueRule(schema: Json | undefined, document: JsonObject): string {
  const resolved = resolve(schema, document)
  const { default: defaultValue, enum: values } = resolved
  const words = Array.isArray(values)
    ? values.map((value) => `\`${value}\``).join(', ')
    : formatRule(resolved, document)
  return defaultValue === undefined ? words : `${words}; \`${toText(defaultValue)}\` without it`
}

function formatRule(schema: JsonObject, document: JsonObject): string {
  const { const: only, 'x-rule': rule } = schema
  if (typeof rule === 'string') return rule.replace(/^must be /, '').replace(/^must have /, 'has ')
  if (only !== undefined) return `\`${toText(only)}\``
  const choices = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(choices)) {
    return [...new Set(choices.map((one) => formatValueRule(one, document)))].join(', or ')
  }
  const type = schema['type']
  return Array.isArray(type) ? type.join(' or ') : `${type ?? 'any JSON'}`
}

function readDescription(schema: Json | undefined, document: JsonObject): string {
  const own = isJsonObject(schema) ? schema['description'] : undefined
  return `${own ?? resolve(schema, document)['description'] ?? ''}`
}

/** Returns the JSON schema of a request body or a response. */
function readSchema(sent: Json | undefined, document: JsonObject): JsonObject {
  const content = isJsonObject(sent) ? sent['content'] : undefined
  const json = isJsonObject(content) ? content['application/json'] : undefined
  return resolve(isJsonObject(json) ? json['schema'] : undefined, document)
}

/** Resolves a `$ref`; members beside it override those of its component. */
function resolve(schema: Json | undefined, document: JsonObject): JsonObject {
  if (!isJsonObject(schema)) return {}
  const { $ref: ref, ...own } = schema
  if (typeof ref !== 'string') return own
  const components = document['components']
  const schemas = isJsonObject(components) ? components['schemas'] : undefined
  const component = isJsonObject(schemas) ? schemas[ref.split('/').at(-1) ?? ''] : undefined
  return { ...(isJsonObject(component) ? component : {}), ...own }
}

function toText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
