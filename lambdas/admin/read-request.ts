/**
 * Parses a request. Errors of the path and the query are reported together (400, pointers `/path/…`
 * and `/query/…`). Without them the body is read: one that cannot be parsed is 400, and its fields'
 * errors are reported together (422, pointers into the body). Uses the schemas of the OpenAPI
 * document. A refusal never repeats a value.
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
import type { CheckedRequest, RouteBody, RouteShape, Schema } from './route.ts'

export function readRequest(
  schemas: Schemas,
  { route, params, paramsSchema, querySchema }: FoundRoute<RouteShape>,
  received: AdminRequest,
): Result<CheckedRequest> {
  const query = readQuery(received.query, querySchema)
  const errors = [
    ...withPrefix('/path', listFieldErrors(schemas, paramsSchema, params, 'parameter')),
    ...withPrefix('/query', query.repeated),
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
  /** Parameters that were sent more than once. */
  readonly repeated: readonly FieldError[]
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
  return { texts, typed, repeated }
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
  // JSON.parse would change some numbers, such as 1e400 and long ones. The body of an import is a
  // document of somebody else, which keeps the text of its numbers. Other bodies with such a number
  // are refused.
  const isDocument = body.isDocument === true
  const parsed = parseText(isDocument ? markExactNumbers(text.value) : text.value, { depthMax })
  if (!parsed.ok) return parsed
  if (!isJsonObject(parsed.value)) return refuse('malformed', 'body: must be a JSON object.')
  const changed = isDocument ? [] : findChangedNumbers(text.value, [])
  if (changed.length > 0) return refuseBody(changed)
  // The author of a document may have had such a character already.
  const unchanged = isDocument ? text : checkUnchanged(text.value)
  if (!unchanged.ok) return unchanged
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
    .map((error) => withOwnRule(schema, accepted, error))
  // The rule of a field replaces each of its errors, so that it may be there twice.
  const distinct = new Map(
    schemaErrors.map((error) => [`${error.pointer}\n${error.message}`, error]),
  )
  return [...findUnknownFields(value, known, noun), ...distinct.values()]
}

/**
 * Replaces the message of a top-level field, or of the whole object, by the `x-rule` of its schema.
 */
function withOwnRule(schema: Schema, value: JsonObject, error: FieldError): FieldError {
  const name = error.pointer.slice(1)
  const isRoot = error.pointer === ''
  const rule = (isRoot ? schema : readField(readProperties(schema), name))?.['x-rule']
  if (typeof rule !== 'string') return error
  // A rule begins with `must be`, so that it can follow `is missing; it`.
  const message = isRoot || Object.hasOwn(value, name) ? rule : `is missing; it ${rule}`
  return { ...error, message }
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
  return errors.map((error) => ({ ...error, pointer: `${place}${error.pointer}` }))
}

/**
 * Decodes a text, such as a skill in Markdown. Refuses bytes that are not UTF-8, and names gzip,
 * UTF-16 and the like, also after a platform has put U+FFFD in place of each invalid byte.
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
    : checkUnchanged(text)
}

/**
 * Refuses a text that the platform has changed: API Gateway writes U+FFFD in place of bytes that
 * are not UTF-8, such as letters of Latin-1, and they would be lost.
 */
function checkUnchanged(text: string): Result<string> {
  if (!text.includes('\uFFFD')) return ok(text)
  return refuse('malformed', `body: ${HAS_REPLACEMENT}`)
}

const HAS_REPLACEMENT =
  'has U+FFFD, which stands for bytes that are not UTF-8. Encode the body in UTF-8. If you mean this character, write \\ufffd in JSON, and leave it out in Markdown.'
