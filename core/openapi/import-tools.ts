/**
 * A document and a selection as tools, each a skill's definition, and a reason for each operation that becomes
 * none. Reads no store and fetches nothing: external references are refused with their list.
 */
import { ok, type Result, refuse } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import type { SchemaJudges } from './input-schema.ts'
import { EXTERNAL_SHOWN_MAX, OPERATIONS_MAX, SELECTED_MAX } from './limits.ts'
import { makeTool } from './make-tool.ts'
import { type Operation, operationsOf } from './operation.ts'
import { externalReferences } from './references.ts'
import type { ToolSecret } from './security.ts'
import { NOT_SELECTED, type Selection, whyLeftOut } from './selection.ts'
import type { ServerOptions } from './server-url.ts'
import { toolIdOf } from './tool-id.ts'
import { settingsOf, type ToolSettings } from './tool-settings.ts'
import { newBudget, setBudget, spendOn, type WorkBudget, withinBudget } from './work-budget.ts'

export type ImportOptions = ServerOptions & {
  /** Of the gateway, such as `sg`. */
  readonly gatewayPrefix: string
  /** Of this import; ids of its skills and names of its secrets begin with it. */
  readonly prefix: string
  readonly source: 'official' | 'market'
  readonly selection: Selection
  /** Where the document says nothing. */
  readonly defaults: ToolSettings
  readonly outputSchemas: boolean
  readonly hash: (text: string) => string
  readonly judge: SchemaJudges
  /** What reading and overlay of the document have left; a whole one by default. */
  readonly budget?: WorkBudget
}

export type ImportedTool = {
  readonly operation: string
  readonly skillId: string
  readonly definition: JsonObject
  readonly notes: readonly string[]
}

export type NotImported = { readonly operation: string; readonly reason: string }

export type ImportedTools = {
  readonly tools: readonly ImportedTool[]
  /** Of the operations that are selected. */
  readonly notImported: readonly NotImported[]
  readonly operations: number
  readonly notSelected: number
  readonly secrets: readonly ToolSecret[]
}

/** `document` is OpenAPI 3.1 or 3.2. Refuses with `too_large` a document that takes too many steps (work-budget.ts). */
export function importTools(document: JsonObject, options: ImportOptions): Result<ImportedTools> {
  const budget = options.budget ?? newBudget()
  setBudget(document, budget)
  return withinBudget(() => toolsOf(document, options, budget))
}

function toolsOf(
  document: JsonObject,
  options: ImportOptions,
  budget: WorkBudget,
): Result<ImportedTools> {
  const external = externalReferences(document)
  if (external.length > 0) return refuseExternal(external)
  const { operations, others } = operationsOf(document)
  const count = operations.length + others.length
  if (count > OPERATIONS_MAX) return refuse('too_large', tooMany(count))
  const notImported: NotImported[] = []
  const selected: Operation[] = []
  let notSelected = 0
  for (const operation of operations) {
    const reason = whyLeftOut(operation, options.selection, budget)
    if (reason === undefined) selected.push(operation)
    else if (reason === NOT_SELECTED) notSelected += 1
    else notImported.push({ operation: operation.key, reason })
  }
  if (selected.length > SELECTED_MAX && options.selection.all !== true) {
    return refuse('invalid_arguments', tooManySelected(selected.length))
  }
  for (const { key, reason } of others) notImported.push({ operation: key, reason })
  return ok({ operations: count, notSelected, ...madeOf(document, selected, options, notImported) })
}

function madeOf(
  document: JsonObject,
  selected: readonly Operation[],
  options: ImportOptions,
  leftOut: readonly NotImported[],
): Pick<ImportedTools, 'tools' | 'notImported' | 'secrets'> {
  const { hash } = options
  const tools: ImportedTool[] = []
  const notImported = [...leftOut]
  const secrets = new Map<string, ToolSecret>()
  const takenIds = new Set<string>()
  const start = `${options.gatewayPrefix}_${options.prefix}_`
  const sizeOf = sizes()
  const ofRoot = ['servers', 'security', 'tags'].map((name) => sizeOf(document[name] ?? null))
  for (const operation of selected) {
    // Long texts and lists may be used by many operations, by reference or from the root.
    const { parameters, path, pathItem, raw, tags } = operation
    const ofPath = sizeOf(pathItem['servers'] ?? null) + path.length + parameters.length
    const [servers = 0, security = 0, tagged = 0] = ofRoot
    spendOn(document, sizeOf(raw) + ofPath + servers + security + tagged * (1 + tags.length))
    const settings = { ...options.defaults, ...settingsOf(document, operation) }
    if (settings.skip === true) {
      notImported.push({ operation: operation.key, reason: 'Its x-skillgate settings say skip.' })
      continue
    }
    const skillId = toolIdOf(operation, settings, { start, taken: takenIds, hash })
    takenIds.add(skillId)
    const api = options.prefix
    const tool = makeTool(document, operation, { ...options, api, skillId, settings })
    if (tool.kind === 'refused') {
      notImported.push({ operation: operation.key, reason: tool.reasons.join(' ') })
      continue
    }
    for (const secret of tool.secrets) secrets.set(secret.name, secret)
    const { definition, notes } = tool
    tools.push({ operation: operation.key, skillId, definition, notes })
  }
  return { tools, notImported, secrets: [...secrets.values()] }
}

/** Characters of a text that are read in one step. */
const CHARS_PER_STEP = 64

/** Steps of reading a value once, with its texts; each value is measured once. */
function sizes(): (value: Json) => number {
  const known = new WeakMap<object, number>()
  const measure = (value: Json): number => {
    if (typeof value === 'string') return 1 + value.length / CHARS_PER_STEP
    if (typeof value !== 'object' || value === null) return 1
    const found = known.get(value)
    if (found !== undefined) return found
    const inside: readonly Json[] = Array.isArray(value) ? value : Object.values(value)
    const size = inside.reduce<number>((sum, inner) => sum + measure(inner), 1)
    known.set(value, size)
    return size
  }
  return measure
}

function refuseExternal(external: readonly string[]): Result<never> {
  const more = external.length >= EXTERNAL_SHOWN_MAX ? ', …' : ''
  const detail =
    `document: has references to other files, which are never fetched: ${external.join(', ')}${more}. ` +
    'Bundle them into one document and send that.'
  const faults = external.map((reference) => ({
    pointer: '/document',
    message: `refers to ${reference.slice(0, 200)}; bundle it into the document`,
  }))
  return refuse('invalid_arguments', detail, { faults })
}

function tooMany(count: number): string {
  return `document: has ${count} operations; ${OPERATIONS_MAX} can be read. Send a part of it.`
}

function tooManySelected(count: number): string {
  return (
    `selection: takes ${count} operations, and a model reads the whole list; select at most ` +
    `${SELECTED_MAX}, or set selection.all to true.`
  )
}
