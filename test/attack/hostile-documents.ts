/**
 * OpenAPI documents of a few MB in which operations share what is long: schemas that discriminators lead to, references
 * by identity, answers, servers and credentials. What each operation reads again adds up, unless it is counted or kept.
 */
import type { JsonObject } from '../../core/json/json.ts'

export const SERVERS = [{ url: 'https://things.example' }]

/** An operation for each of `count` paths. */
export function documentOf(count: number, operation: object, more: object = {}): JsonObject {
  const paths = Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`/things/${n}`, operation]),
  )
  return { openapi: '3.1.0', servers: SERVERS, paths, ...more } as JsonObject
}

/** `count` members, each named by its number. */
function many(count: number, name: string, make: (n: number) => unknown): object {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`${name}${n}`, make(n)]))
}

const schemaAt = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const posted = (schema: object) => ({ post: { requestBody: json(schema) } })

/** One discriminator that leads to very many schemas, in many operations. */
function mapping(): JsonObject {
  const targets = many(20_000, 't', (n) => `#/components/schemas/S${n % 100}`)
  const root = { type: 'object', discriminator: { propertyName: 'kind', mapping: targets } }
  const schemas = { Root: root, ...many(100, 'S', () => ({ type: 'object' })) }
  return documentOf(1_500, posted(schemaAt('Root')), { components: { schemas } })
}

/** Each schema extends the one before it, and each leads to all that extend it. */
function subtypeChain(): JsonObject {
  const schemas = many(12_000, 'S', (n) => ({
    ...(n === 0 ? { type: 'object' } : { allOf: [schemaAt(`S${n - 1}`)] }),
    discriminator: { propertyName: 'kind' },
  }))
  const paths = many(1_500, '/things/', (n) => posted(schemaAt(`S${n * 8}`)))
  return { ...documentOf(0, {}), paths, components: { schemas } } as JsonObject
}

/** A long base, and very many references that are read against it. */
function identities(): JsonObject {
  const $id = `https://things.example/${'a'.repeat(500_000)}`
  const inner = many(40_000, 'p', (n) => ({ $ref: `b${n}` }))
  const schemas = { Root: { $id, type: 'object', properties: inner } }
  return documentOf(1, posted(schemaAt('Root')), { components: { schemas } })
}

/** A short name for a place with a long one. */
function anchors(): JsonObject {
  const schemas = {
    ['a'.repeat(500_000)]: { $anchor: 'a', type: 'object' },
    Root: { type: 'object', properties: many(80_000, 'p', () => ({ $ref: '#a' })) },
  }
  return documentOf(1, posted(schemaAt('Root')), { components: { schemas } })
}

/** A list of values that is too long for any tool. */
function sharedValues(): JsonObject {
  const values = Array.from({ length: 100_000 }, (_, n) => `v${n}`)
  const root = { type: 'object', properties: { a: { enum: values }, b: { default: values } } }
  const answer = { 200: { description: 'd', ...json(schemaAt('Root')) } }
  const operation = { post: { ...posted(schemaAt('Root')).post, responses: answer } }
  return documentOf(1_500, operation, { components: { schemas: { Root: root } } })
}

/** Successes that have long schemas of their own, and long lists of headers and links. */
function sharedAnswers(): JsonObject {
  const answer = (type: string) => ({
    description: 'd',
    headers: many(10_000, 'h', () => ({})),
    ...json({ type: 'object', properties: many(20_000, 'p', () => ({ type })) }),
  })
  const ref = (name: string) => ({ $ref: `#/components/responses/${name}` })
  const responses = { A: answer('string'), B: answer('number') }
  const operation = { get: { responses: { 200: ref('A'), 201: ref('A'), 202: ref('B') } } }
  return documentOf(1_500, operation, { components: { responses } })
}

/** One property with another schema in each part. */
function parts(): JsonObject {
  const allOf = Array.from({ length: 30_000 }, (_, n) => ({
    type: 'object',
    properties: { a: { const: n } },
  }))
  return documentOf(1_500, posted(schemaAt('Root')), {
    components: { schemas: { Root: { allOf } } },
  })
}

/** Parameters that lead nowhere, each with a note. */
function lostParameters(): JsonObject {
  const parameters = Array.from({ length: 50_000 }, (_, n) => ({ $ref: `#/none/${n}` }))
  const components = { pathItems: { Item: { parameters, get: {} } } }
  return documentOf(1_900, { $ref: '#/components/pathItems/Item' }, { components })
}

/** Parameters of one name once their signs are left out, and parameters that are secrets. */
function alikeParameters(isSecret: boolean): JsonObject {
  const parameters = Array.from({ length: 990 }, (_, n) => ({
    name: isSecret ? `x${n}-api-key` : `${'!'.repeat(n % 40)}${'?'.repeat(n / 40)}`,
    in: 'query',
  }))
  const components = { pathItems: { Item: { parameters, get: {} } } }
  return documentOf(1_900, { $ref: '#/components/pathItems/Item' }, { components })
}

/** A path whose places all get the same name. */
function placesInPath(): JsonObject {
  const path = Array.from({ length: 100_000 }, (_, n) => `{${'!'.repeat((n % 9) + 1)}${n % 7}}`)
  return { ...documentOf(0, {}), paths: { [`/${path.join('/')}`]: { get: {} } } } as JsonObject
}

/** Schemes that are all needed at once. */
function schemes(): JsonObject {
  const securitySchemes = many(15_000, 's', (n) => ({ type: 'apiKey', in: 'query', name: `q${n}` }))
  const security = [many(15_000, 's', () => [])]
  return documentOf(1_500, { get: {} }, { security, components: { securitySchemes } })
}

/** A server whose URL has one variable very often, which takes very many values. */
function serverVariable(): JsonObject {
  const values = Array.from({ length: 100_000 }, (_, n) => `v${n}`)
  const url = `https://things.example/${'{v}/'.repeat(100_000)}`
  const servers = [{ url, variables: { v: { default: 'v0', enum: values } } }]
  return documentOf(1_500, { get: {} }, { servers })
}

/** A form with a long list of encodings and media types. */
function bodies(): JsonObject {
  const media = {
    schema: { type: 'object', properties: { a: {} } },
    encoding: many(20_000, 'e', () => ({})),
  }
  const content = { 'application/x-www-form-urlencoded': media, ...many(20_000, 'x/t', () => ({})) }
  const operation = { post: { requestBody: { $ref: '#/components/requestBodies/B' } } }
  return documentOf(1_500, operation, { components: { requestBodies: { B: { content } } } })
}

/** Made when asked for. */
export const HOSTILE_DOCUMENTS: readonly { readonly name: string; make(): JsonObject }[] = [
  { name: 'mapping', make: mapping },
  { name: 'subtype-chain', make: subtypeChain },
  { name: 'identities', make: identities },
  { name: 'anchors', make: anchors },
  { name: 'shared-values', make: sharedValues },
  { name: 'shared-answers', make: sharedAnswers },
  { name: 'parts', make: parts },
  { name: 'lost-parameters', make: lostParameters },
  { name: 'alike-parameters', make: () => alikeParameters(false) },
  { name: 'secret-parameters', make: () => alikeParameters(true) },
  { name: 'places-in-path', make: placesInPath },
  { name: 'schemes', make: schemes },
  { name: 'server-variable', make: serverVariable },
  { name: 'bodies', make: bodies },
]
