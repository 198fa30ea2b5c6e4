/** A small document for tests of imports, and how tests send it. */
import { applyImport } from '../../../../core/flow/imports/apply-import.ts'
import type { ImportRequest } from '../../../../core/flow/imports/import-request.ts'
import { planImport } from '../../../../core/flow/imports/plan-import.ts'
import { toImportPlanView } from '../../../../core/flow/imports/show-plan.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { okOf, type World } from '../world.ts'

export const SHOW: JsonObject = {
  operationId: 'showPet',
  summary: 'Show a pet',
  parameters: [{ name: 'petId', in: 'path', required: true, schema: { type: 'string' } }],
}
export const LIST: JsonObject = {
  operationId: 'listPets',
  summary: 'List pets',
  parameters: [{ name: 'kind', in: 'query', schema: { type: 'string', enum: ['cat', 'dog'] } }],
}

export function petstore(paths: JsonObject = PATHS, more: JsonObject = {}): JsonObject {
  return {
    openapi: '3.1.0',
    info: { title: 'Petstore', version: '1' },
    servers: [{ url: 'https://petstore.test/v1' }],
    paths,
    ...more,
  }
}

const PATHS: JsonObject = { '/pets/{petId}': { get: SHOW }, '/pets': { get: LIST } }

export function asked(document: JsonObject | string, more: Partial<ImportRequest> = {}) {
  return { prefix: 'pets', defaults: { credits: 1 }, document, ...more }
}

export async function planned(world: World, request: ImportRequest) {
  return toImportPlanView(okOf(await planImport(world.ports, world.settings, request)))
}

export async function applied(world: World, request: ImportRequest) {
  return okOf(await applyImport(world.ports, world.settings, request))
}

export async function listedNames(world: World): Promise<readonly string[]> {
  return (await world.ports.toolsCache.read())?.tools.map(({ name }) => name) ?? []
}
