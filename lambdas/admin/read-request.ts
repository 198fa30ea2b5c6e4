/**
 * Parses a request, or refuses it with all its errors: first path and query parameters (400,
 * pointers `/path/…` and `/query/…`), then the body (422, pointers into the body). Uses the same
 * schemas as the OpenAPI document. A refusal never repeats a value.
 */
import type { AdminRequest } from '../../adapters/http/admin-kit.ts'
import { ADMIN_BODY_BYTES_MAX } from '../../adapters/http/request.ts'
import { type FieldError, ok, type Result, refuse } from '../../core/errors.ts'
import { findUnknownFields, refuseBody, refuseFields } from '../../core/json/body-fields.ts'
import { findChangedNumbers } from '../../core/json/changed-numbers.ts'
import { explainEncoding } from '../../core/json/encoding-fault.ts'
import { markExactNumbers } from '../../core/json/exact-numbers.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { JSON_DEPTH_MAX } from '../../core/json/limits.ts'
import { parseText } from '../../core/json/parse-json.ts'
import { readText } from '../../core/json/read-text.ts'
import type { Schemas } from '../../core/ports/registry.ts'
import type { FoundRoute } from './find-route.ts'
import type { RouteBody, RoutedRequest, Schema } from './route.ts'

/** A parsed request without the administrator who sent it. */
export type SentRequest = Omit<RoutedRequest, 'admin'>

export function readRequest(
  schemas: Schemas,
  { route, params, paramsSchema, querySchema }: FoundRoute,
  received: AdminRequest,
): Result<SentRequest> {
  const query = readQuery(received.query, querySchema)
  const errors = [
    ...withPrefix('/path', listFieldErrors(schemas, paramsSchema, params, 'parameter')),
    ...withPrefix('/query', query.twice),
    ...withPrefix('/query', listFieldErrors(schemas, querySchema, query.typed, 'parameter')),
  ]
  if (errors.length > 0) return refuseFields('malformed', errors)
  const parameters = { params, query: query.texts }
  switch (route.body?.kind) {
    case undefined:
      return ok({ ...parameters, body: {}, text: '' })
    case 'text': {
      const text = decodeText(received.body)
      return text.ok ? ok({ ...parameters, body: {}, text: text.value }) : text
    }
    case 'json': {
      const body = readBody(schemas, route.body, received.body)
      return body.ok ? ok({ ...parameters, body: body.value, text: '' }) : body
    }
    default:
      return route.body satisfies never
  }
}

type ReadQuery = {
  readonly texts: { readonly [name: string]: string }
  /** The values for the schema check: whole numbers are converted from text. */
  readonly typed: JsonObject
  readonly twice: readonly FieldError[]
}

const WHOLE_NUMBER = /^\d{1,9}$/

function readQuery(query: URLSearchParams, schema: Schema): ReadQuery {
  const texts: { [name: string]: string } = Object.create(null)
  const typed: { [name: string]: Json } = Object.create(null)
  const repeated: FieldError[] = []
  const properties = readProperties(schema)
  for (const [name, value] of query) {
    if (name in texts && Object.hasOwn(properties, name)) {
      repeated.push({ pointer: `/${name}`, message: 'was sent more than once; send it once' })
    }
    texts[name] = value
    const isNumber = readField(properties, name)?.['type'] === 'integer' && WHOLE_NUMBER.test(value)
    typed[name] = isNumber ? Number(value) : value
  }
  return { texts, typed, twice: repeated }
}

/**
 * Parses a JSON body. The limit is the admin function's own, because a pushed tool list is longer
 * than an agent's message.
 */
function readBody(
  schemas: Schemas,
  body: Extract<RouteBody, { kind: 'json' }>,
  bytes: Uint8Array,
): Result<Json> {
  if (bytes.length === 0 && !body.required) return ok({})
  const { bytesMax = ADMIN_BODY_BYTES_MAX, depthMax = JSON_DEPTH_MAX } = body
  const text = readText(bytes, { bytesMax })
  if (!text.ok) return text
  const isDocument = body.isDocument === true
  const parsed = parseText(isDocument ? markExactNumbers(text.value) : text.value, { depthMax })
  if (!parsed.ok) return parsed
  if (!isJsonObject(parsed.value)) return refuse('malformed', 'body: must be a JSON object.')
  const changed = isDocument ? [] : findChangedNumbers(text.value, [])
  if (changed.length > 0) return refuseBody(changed)
  const errors = listFieldErrors(schemas, body.schema, parsed.value, 'field')
  return errors.length === 0 ? parsed : refuseBody(errors)
}

/**
 * Returns the errors of an object's fields: unknown names first, with the list of known ones, then
 * the errors of the schema.
 */
function listFieldErrors(
  schemas: Schemas,
  schema: Schema,
  value: JsonObject,
  noun: 'field' | 'parameter',
): readonly FieldError[] {
  const properties = readProperties(schema)
  const known = Object.keys(properties)
  const accepted = Object.fromEntries(
    Object.entries(value).filter(([name]) => known.includes(name)),
  )
  const schemaErrors = schemas
    .faults(schema, accepted)
    .map((fault) => withOwnRule(schema, accepted, fault))
  const once = new Map(schemaErrors.map((fault) => [`${fault.pointer}\n${fault.message}`, fault]))
  return [...findUnknownFields(value, known, noun), ...once.values()]
}

function withOwnRule(schema: Schema, value: JsonObject, fault: FieldError): FieldError {
  const name = fault.pointer.slice(1)
  const isWhole = fault.pointer === ''
  const rule = (isWhole ? schema : readField(readProperties(schema), name))?.['x-rule']
  if (typeof rule !== 'string') return fault
  // A rule (`must be …`) continues the sentence `is missing; it `.
  const message = isWhole || Object.hasOwn(value, name) ? rule : `is missing; it ${rule}`
  return { ...fault, message }
}

function readProperties(schema: Schema): JsonObject {
  const properties = schema['properties']
  return isJsonObject(properties) ? properties : {}
}

function readField(properties: JsonObject, name: string): JsonObject | undefined {
  const field = Object.hasOwn(properties, name) ? properties[name] : undefined
  return isJsonObject(field) ? field : undefined
}

function withPrefix(place: string, errors: readonly FieldError[]): readonly FieldError[] {
  return errors.map((fault) => ({ ...fault, pointer: `${place}${fault.pointer}` }))
}

/**
 * Decodes a text. A platform that treated bytes as text has sent UTF-8 with a replacement character
 * for each invalid byte, so those are refused too.
 */
function decodeText(body: Uint8Array): Result<string> {
  let text: string | undefined
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    // A fatal decoder gives no position, so its error adds nothing.
  }
  const encoding = explainEncoding(text ?? body)
  if (encoding !== undefined) return refuse('malformed', `body: ${encoding}`)
  return text === undefined
    ? refuse('malformed', 'body: is not UTF-8. Encode the skill in UTF-8.')
    : ok(text)
}
