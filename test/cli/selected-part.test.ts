/** The part of a document that is sent makes the same tools as the whole, for any selection. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeOpenApiDocuments } from '../../adapters/formats/openapi-text.ts'
import { selectPart } from '../../cli/openapi/selected-part.ts'
import { planImport } from '../../core/flow/imports/plan-import.ts'
import type { JsonObject } from '../../core/json/json.ts'
import { OPERATIONS_MAX } from '../../core/openapi/limits.ts'
import { listOperations } from '../../core/openapi/operation.ts'
import type { Selection } from '../../core/openapi/selection.ts'
import { makeWorld, okOf } from '../core/flow/world.ts'

const FOLDER = join(import.meta.dirname, '../../node_modules/@readme/oas-examples')
const FILES = globSync('{2.0,3.0,3.1}/{json,yaml}/**/*.{json,yaml}', { cwd: FOLDER }).sort()

async function read(file: string): Promise<JsonObject> {
  return okOf(await makeOpenApiDocuments().read(readFileSync(join(FOLDER, file), 'utf8')))
}

/** Undefined where the document itself is refused. */
async function toolsOf(document: JsonObject, selection: Selection) {
  const { ports, settings } = makeWorld()
  const defaults = { credits: 1 }
  const request = { prefix: 'doc', document, defaults, selection, baseUrl: 'https://base.example' }
  const planned = await planImport(ports, settings, request)
  if (!planned.ok) return undefined
  const { read: about, skills } = planned.value
  return {
    skills: skills.map(({ definition, notes, madeOf }) => ({ definition, notes, madeOf })),
    secrets: about.secrets,
  }
}

describe.each(FILES)('%s', (file) => {
  test('the selected part makes the same tools as the whole, operation by operation and all at once', async () => {
    const document = await read(file)
    const { operations } = listOperations(document)
    const selections: Selection[] = [
      { all: true, deprecated: true },
      { all: true, include: [{ methods: ['GET'] }] },
      ...operations.slice(0, 8).map(({ method, path }) => ({
        include: [{ paths: [path], methods: [method] }],
        deprecated: true,
      })),
    ]
    for (const selection of selections) {
      const whole = await toolsOf(document, selection)
      // References to other files in a part that is left out do not matter any more.
      if (whole === undefined) continue
      const part = selectPart(document, selection)
      expect(await toolsOf(part.document, selection)).toEqual(whole)
    }
  })
})

const PETS = {
  openapi: '3.0.3',
  paths: {
    '/pets': {
      summary: 'Pets',
      get: { operationId: 'listPets', responses: { 200: { $ref: '#/components/responses/Pets' } } },
      delete: { operationId: 'dropPets', callbacks: { x: { $ref: '#/components/callbacks/Big' } } },
    },
    '/owners': { get: { operationId: 'listOwners', responses: {} } },
    '/copies': {
      get: {
        operationId: 'listCopies',
        responses: { 200: { $ref: '#/paths/~1pets/get/responses/200' } },
      },
    },
  },
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
    responses: {
      Pets: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
    },
    callbacks: { Big: { big: true } },
    schemas: {
      Pet: {
        discriminator: {
          propertyName: 'kind',
          mapping: { cat: '#/components/schemas/Cat', d: 'Dog' },
        },
        properties: { owner: { $ref: '#/components/schemas/Owner/properties/name' } },
      },
      Cat: { type: 'object' },
      Dog: { type: 'object' },
      Owner: { properties: { name: { type: 'string' } } },
      Unused: { type: 'object' },
    },
  },
}

test('the part has what the operations refer to, however far, and the names of the others', () => {
  const part = selectPart(PETS, { include: [{ operationIds: ['listPets'] }] })
  expect(part).toEqual({
    operations: 4,
    notSelected: 3,
    unsent: [],
    document: {
      openapi: '3.0.3',
      paths: {
        '/pets': {
          summary: 'Pets',
          get: PETS.paths['/pets'].get,
          delete: { operationId: 'dropPets' },
        },
        '/owners': { get: { operationId: 'listOwners' } },
        '/copies': { get: { operationId: 'listCopies' } },
      },
      components: {
        securitySchemes: PETS.components.securitySchemes,
        responses: PETS.components.responses,
        schemas: {
          Pet: PETS.components.schemas.Pet,
          Cat: { type: 'object' },
          Dog: { type: 'object' },
          Owner: PETS.components.schemas.Owner,
        },
      },
    },
  })
})

test('the part has a whole path item where an operation refers into it', () => {
  const { document } = selectPart(PETS, { include: [{ paths: ['/copies'] }] })
  expect(document['paths']).toEqual({
    '/copies': PETS.paths['/copies'],
    '/pets': PETS.paths['/pets'],
    '/owners': { get: { operationId: 'listOwners' } },
  })
})

test.each([
  [OPERATIONS_MAX, true],
  [OPERATIONS_MAX + 1, false],
])('of %i operations, the names of those that are not selected are sent: %s', (count, isSent) => {
  const paths = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `/${index}`,
      { get: { operationId: `o${index}` } },
    ]),
  )
  const { document } = selectPart({ openapi: '3.1.0', paths }, { include: [{ paths: ['/7'] }] })
  expect(Object.keys(Object(document['paths'])).length).toBe(isSent ? count : 1)
})
