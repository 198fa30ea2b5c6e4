/** Tools of a small document, as a plan makes them, for tests of what becomes of an operation. */
import { planImport } from '../../../core/flow/imports/plan-import.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { petstore } from '../flow/imports/petstore.ts'
import { makeWorld, okOf, type World } from '../flow/world.ts'

export type PlannedTool = {
  readonly id: string
  readonly meta: { readonly [name: string]: JsonObject }
  readonly config: { readonly [name: string]: unknown }
  readonly credits_per_call: number
  readonly notes: readonly string[]
  readonly nameOrigin: string | undefined
  readonly properties: { readonly [name: string]: JsonObject }
}

export async function planOf(paths: JsonObject, more: JsonObject = {}, request: object = {}) {
  return planIn(makeWorld(), petstore(paths, more), request)
}

export async function planIn(
  { ports, settings }: World,
  document: JsonObject | string,
  request: object = {},
) {
  const asked = { prefix: 'api', defaults: { credits: 1 }, document, ...request }
  const { read, skills } = okOf(await planImport(ports, settings, asked))
  const tools = skills.map(({ definition, nameOrigin, notes }) => {
    const tool = definition as unknown as Omit<PlannedTool, 'nameOrigin' | 'notes' | 'properties'>
    const properties = tool.meta['parameters']?.['properties'] as PlannedTool['properties']
    return { ...tool, nameOrigin, notes, properties }
  })
  return { read, tools }
}

/** The one tool of a document with one operation, `POST /x`. */
export async function toolOf(operation: JsonObject, more: JsonObject = {}, request: object = {}) {
  const { read, tools } = await planOf({ '/x': { post: operation } }, more, request)
  const [tool] = tools
  if (tool === undefined) throw new Error(JSON.stringify(read.notImported))
  return { ...tool, secrets: read.secrets }
}

export async function reasonOf(operation: JsonObject, more: JsonObject = {}, request: object = {}) {
  const { read } = await planOf({ '/x': { post: operation } }, more, request)
  return read.notImported.map(({ reason }) => reason).join(' ')
}
