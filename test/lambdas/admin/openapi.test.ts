/** GET openapi.json: a valid OpenAPI 3.1 document that agrees with the route table. */
import { beforeAll, describe, expect, test } from 'vitest'
import { makeSchemasWithPatterns } from '../../../adapters/formats/json-schema.ts'
import { ERRORS } from '../../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import { readPointer } from '../../../core/json/json-pointer.ts'
import { ROUTES } from '../../../lambdas/admin/routes.ts'
import { makeWorld } from '../../core/flow/world.ts'
import { ADMIN_KEY, askAdmin } from './admin-client.ts'
import {
  aloneIn,
  followed,
  listAt,
  objectAt,
  operationsOf,
  referencesIn,
} from './openapi-document.ts'
import { OPENAPI_SHAPE } from './openapi-shape.ts'
import { seededWorld } from './seeded-registry.ts'
import { STORED_UPSTREAM } from './seeded-upstream.ts'

const judge = makeSchemasWithPatterns()
let document: JsonObject

beforeAll(async () => {
  const answered = await askAdmin(makeWorld(), 'GET', '/openapi.json', { headers: ADMIN_KEY })
  expect([answered.status, answered.headers['content-type']]).toEqual([
    200,
    'application/json; charset=utf-8',
  ])
  document = answered.json
})

function shapeFaults(page: Json) {
  return judge.faults(OPENAPI_SHAPE, page)
}

describe('the OpenAPI document', () => {
  test('the document has the form of OpenAPI 3.1', () => {
    expect(shapeFaults(document)).toEqual([])
  })

  test.each<[string, (from: JsonObject) => JsonObject]>([
    ['a misspelled field', (from) => ({ ...from, path: {} })],
    ['no version of its own', (from) => ({ ...from, info: { title: 'x' } })],
    ['a path without a slash', (from) => ({ ...from, paths: { users: {} } })],
    ['an operation without answers', (from) => withOperation(from, { responses: undefined })],
    ['a parameter in no place', (from) => withOperation(from, { parameters: [{ name: 'x' }] })],
  ])('the document with %s would not be valid', (_what, change) => {
    expect(shapeFaults(JSON.parse(JSON.stringify(change(document))))).not.toEqual([])
  })

  test('the document names its server, its build and its credentials', () => {
    expect(document['servers']).toMatchObject([{ url: '/v1/admin' }])
    expect(objectAt(document, 'info')['version']).toBe('1.2.3')
    expect(objectAt(objectAt(document, 'components'), 'securitySchemes')).toMatchObject({
      internalSecret: { type: 'http', scheme: 'bearer' },
      adminKey: { type: 'apiKey', in: 'header', name: 'X-Admin-Key' },
      adminKeyBearer: { type: 'http', scheme: 'bearer' },
    })
  })

  test('the document has no dangling reference', () => {
    const references = referencesIn(document)
    expect(references.length).toBeGreaterThan(50)
    const lost = references.filter((one) => readPointer(document, one.slice(1)) === undefined)
    expect(lost).toEqual([])
  })

  test('the document has no unused component', () => {
    const named = new Set(referencesIn(document))
    const all = ['schemas', 'responses', 'headers'].flatMap((kind) =>
      Object.keys(objectAt(objectAt(document, 'components'), kind)).map(
        (name) => `#/components/${kind}/${name}`,
      ),
    )
    expect(all.filter((one) => !named.has(one))).toEqual([])
  })

  test('the document has schemas that the validator accepts', () => {
    const schemasIn = [...operationsOf(document).flatMap(({ operation }) => shownIn(operation))]
    expect(schemasIn.length).toBeGreaterThan(40)
    const faulty = schemasIn.flatMap(({ schema }) => judge.schemaFaults(aloneIn(document, schema)))
    expect(faulty).toEqual([])
  })

  test('the document shows examples that fit', () => {
    const shown = operationsOf(document).flatMap(({ operation }) => shownIn(operation))
    const examples = shown.filter(({ example }) => example !== undefined)
    expect(examples.length).toBeGreaterThan(15)
    for (const { example = null, schema } of examples) {
      expect(judge.faults(aloneIn(document, schema), example)).toEqual([])
    }
  })
})

describe('the example of a body', () => {
  test.each(ROUTES.filter(({ body }) => body !== undefined))(
    'the example of $method $path works when it is sent',
    async ({ method, operationId, path, query = {} }) => {
      const world = operationId === 'createUser' ? makeWorld() : await seededWorld()
      const { operation = {} } =
        operationsOf(document).find((one) => one.operation['operationId'] === operationId) ?? {}
      const content = objectAt(objectAt(operation, 'requestBody'), 'content')
      const body = objectAt(content, 'application/json')['example'] ?? null
      const [keyId = ''] = (await world.ports.keys.list('ada')).map(({ keyHash }) => keyHash)
      const at = path
        .replace('{uid}', 'ada')
        .replace('{name}', 'API_KEY')
        .replace('{source}/{skillId}', 'official/sg_weather')
        .replace('{guideId}', 'weather-tools')
        .replace('{keyId}', keyId)
        .replace('{upstreamId}:approve', `${STORED_UPSTREAM}:approve`)
        .replace('{upstreamId}', 'files')
      const sent = { body, query: 'source' in query ? 'source=official' : '' }
      const { status, text } = await askAdmin(world, method, at, sent)
      expect([status < 300, status < 300 || text]).toEqual([true, true])
    },
  )
})

describe('each route', () => {
  test('of the table is an operation, with an id of its own', () => {
    const documented = operationsOf(document).map(({ method, path }) => `${method} ${path}`)
    expect([...documented].sort()).toEqual(
      ROUTES.map(({ method, path }) => `${method} ${path}`).sort(),
    )
    const ids = operationsOf(document).map(({ operation }) => operation['operationId'])
    expect(new Set(ids).size).toBe(ROUTES.length)
  })

  test.each(ROUTES)('the operation $method $path describes the parameters of its path', (route) => {
    const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(Object.keys(route.params ?? {})).toEqual(inPath)
    const { operation = {} } =
      operationsOf(document).find((one) => one.operation['operationId'] === route.operationId) ?? {}
    const documented = listAt(operation, 'parameters').filter((one) => one['in'] === 'path')
    expect(documented.map((one) => one['name'])).toEqual(inPath)
  })

  test('names its credentials', () => {
    const either = [{ internalSecret: [] }, { adminKey: [] }, { adminKeyBearer: [] }]
    for (const { operation, path } of operationsOf(document)) {
      const isClosed = path === '/refresh-tools'
      expect(operation['security']).toEqual(isClosed ? [{ internalSecret: [] }] : either)
    }
  })

  test('lists each refusal by status and error code', () => {
    for (const { operation } of operationsOf(document)) {
      const refusals = Object.entries(objectAt(operation, 'responses')).filter(
        ([status]) => Number(status) >= 400,
      )
      expect(refusals.map(([status]) => status)).toEqual(
        expect.arrayContaining(['400', '401', '413', '431', '500', '503', '504']),
      )
      for (const [status, response] of refusals) {
        for (const code of codesIn(response)) {
          const shape = Object.entries(ERRORS).find(([name]) => name === code)?.[1]
          expect([code, String(shape?.status)]).toEqual([code, status])
        }
      }
    }
  })
})

function codesIn(response: Json): readonly Json[] {
  const problem = followed(document, isJsonObject(response) ? response : {})
  const media = objectAt(objectAt(problem, 'content'), 'application/problem+json')
  const own = listAt(objectAt(media, 'schema'), 'allOf')[1] ?? {}
  const codes = objectAt(objectAt(own, 'properties'), 'code')['enum']
  const list: readonly Json[] = Array.isArray(codes) ? codes : []
  expect(list.length).toBeGreaterThan(0)
  return list
}

type ShownBody = { readonly schema: JsonObject; readonly example: Json | undefined }

function shownIn(operation: JsonObject): readonly ShownBody[] {
  const contents = [
    objectAt(objectAt(operation, 'requestBody'), 'content'),
    ...Object.values(objectAt(operation, 'responses'))
      .filter(isJsonObject)
      .map((one) => objectAt(followed(document, one), 'content')),
  ]
  const media = contents.flatMap((content) => Object.values(content).filter(isJsonObject))
  return [...media, ...listAt(operation, 'parameters')].map((one) => ({
    schema: objectAt(one, 'schema'),
    example: one['example'],
  }))
}

function withOperation(from: JsonObject, change: object): JsonObject {
  const paths = objectAt(from, 'paths')
  const item = objectAt(paths, '/users')
  const post = { ...objectAt(item, 'post'), ...change }
  return { ...from, paths: { ...paths, '/users': { ...item, post } } }
}
