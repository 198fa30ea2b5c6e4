/**
 * Requests made from the OpenAPI document alone: right ones, with every parameter and body as its
 * schema says, and the same with parts changed, left out, doubled or broken.
 */
import fc from 'fast-check'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import { type ArbitraryOptions, anyJson, arbitraryOf } from './arbitrary-of-schema.ts'
import { listAt, type Operation, objectAt, operationsOf } from './openapi-document.ts'

export type GeneratedRequest = {
  readonly method: string
  readonly path: string
  /** As they stand in the path, encoded. */
  readonly segments: { readonly [name: string]: string }
  readonly query: string
  readonly body: string | undefined
  /** Every part of the request fits its schema. */
  readonly isRight: boolean
}

type Pairs = readonly (readonly [name: string, value: string])[]

export function requestsOf(making: ArbitraryOptions): fc.Arbitrary<GeneratedRequest> {
  const operations = operationsOf(making.document)
  return fc.oneof(...operations.map((operation) => requestOf(making, operation)))
}

export function requestOf(
  making: ArbitraryOptions,
  one: Operation,
): fc.Arbitrary<GeneratedRequest> {
  const right = rightRequest(making, one)
  return fc.oneof({ weight: 2, arbitrary: right }, { weight: 3, arbitrary: right.chain(changed) })
}

function rightRequest(making: ArbitraryOptions, { method, operation, path }: Operation) {
  const parameters = listAt(operation, 'parameters')
  const inPath = parameters.filter((one) => one['in'] === 'path')
  const inQuery = parameters.filter((one) => one['in'] === 'query')
  return fc
    .record({
      params: textsOf(making, inPath, 'all'),
      query: textsOf(making, inQuery, 'some'),
      body: bodyOf(making, operation),
    })
    .map(
      ({ body, params, query }): GeneratedRequest => ({
        method,
        path,
        segments: Object.fromEntries(
          Object.entries(params).map(([name, value]) => [name, encodeURIComponent(value)]),
        ),
        query: queryText(Object.entries(query)),
        body,
        isRight: true,
      }),
    )
}

function textsOf(
  making: ArbitraryOptions,
  parameters: readonly JsonObject[],
  which: 'all' | 'some',
) {
  const model = Object.fromEntries(
    parameters.map((one) => {
      const name = String(one['name'])
      return [name, arbitraryOf(making, one['schema'] ?? null, name).map(String)]
    }),
  )
  return fc.record(model, { requiredKeys: which === 'all' ? Object.keys(model) : [] })
}

/** JSON by its schema, or a text; undefined where the route takes none, or needs none. */
function bodyOf(making: ArbitraryOptions, operation: JsonObject): fc.Arbitrary<string | undefined> {
  const requestBody = objectAt(operation, 'requestBody')
  const media = Object.entries(objectAt(requestBody, 'content'))
  if (media.length === 0) return fc.constant(undefined)
  const made = media.map(([type, one]) => {
    const { example = null, schema = null } = isJsonObject(one) ? one : {}
    const value = fc.oneof(
      { weight: 4, arbitrary: arbitraryOf(making, schema) },
      { weight: 1, arbitrary: fc.constant(example) },
    )
    return type === 'application/json'
      ? value.map((json) => JSON.stringify(json))
      : value.map(String)
  })
  const sent = fc.oneof(...made)
  return requestBody['required'] === true ? sent : fc.option(sent, { nil: undefined })
}

function queryText(pairs: Pairs): string {
  return new URLSearchParams(
    pairs.map(([name, value]): [string, string] => [name, value]),
  ).toString()
}

/** One thing of a right request, made wrong (or, seldom, left as right as it was). */
function changed(right: GeneratedRequest): fc.Arbitrary<GeneratedRequest> {
  const changes = [
    changedQuery(right),
    ...(right.body === undefined ? [] : [changedBody(right.body).map((body) => ({ body }))]),
    ...(Object.keys(right.segments).length === 0 ? [] : [changedSegments(right)]),
  ]
  return fc.oneof(...changes).map((change) => ({ ...right, ...change, isRight: false }))
}

const BAD_SEGMENTS = [
  '%',
  '%E0%A4%A',
  '%00',
  '..',
  '%2e%2e',
  '%2F',
  '%252F',
  'a%0Ab',
  '%F0%9F%A6%8A',
]

function changedSegments({ segments }: GeneratedRequest): fc.Arbitrary<Partial<GeneratedRequest>> {
  const text = fc.oneof(
    fc.constantFrom(...BAD_SEGMENTS),
    fc.string({ unit: 'binary', maxLength: 20 }).map(encodeURIComponent),
    fc.integer({ min: 250, max: 300 }).map((chars) => 'u'.repeat(chars)),
  )
  return fc
    .tuple(fc.constantFrom(...Object.keys(segments)), text)
    .map(([name, value]) => ({ segments: { ...segments, [name]: value } }))
}

function changedQuery({ query }: GeneratedRequest): fc.Arbitrary<Partial<GeneratedRequest>> {
  const names = ['limit', 'cursor', 'source', 'uid', 'list', 'skill', 'x', '__proto__', '']
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom('0', '-1', '1e3', '101', '999999999999', 'A'.repeat(5_000), ''),
  )
  const added = fc
    .tuple(fc.constantFrom(...names), value)
    .map((pair) => `${query}${query === '' ? '' : '&'}${queryText([pair])}`)
  return fc.oneof(added, fc.constant(`${query}&${query}`)).map((text) => ({ query: text }))
}

function changedBody(body: string): fc.Arbitrary<string> {
  const cut = fc.nat({ max: body.length }).map((at) => body.slice(0, at))
  return fc.oneof(
    changedJson(body),
    changedJson(body),
    cut,
    anyJson().map((one) => JSON.stringify(one)),
  )
}

/** A member left out, added or made another; a text that is no object becomes anything. */
function changedJson(body: string): fc.Arbitrary<string> {
  const json = parsedObject(body)
  if (json === undefined) return fc.string({ unit: 'binary', maxLength: 60 })
  const name = fc.oneof(fc.constantFrom('x', '__proto__', ...Object.keys(json)), fc.string())
  return fc.tuple(name, fc.option(anyJson())).map(([at, value]) => {
    const { [at]: _left, ...others } = json
    return JSON.stringify(value === null ? others : { ...others, [at]: value })
  })
}

function parsedObject(text: string): JsonObject | undefined {
  try {
    const json: Json = JSON.parse(text)
    return isJsonObject(json) ? json : undefined
  } catch {
    // Markdown is sent too.
    return undefined
  }
}
