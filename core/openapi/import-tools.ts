/**
 * Makes tools of the selected operations of a document. Each tool is a skill's definition, and each
 * operation without a tool gets a reason. Reads no store and fetches nothing: a refusal lists the
 * external references.
 */
import { ok, type Result, refuse } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import { toJsonPointer } from '../json/json-pointer.ts'
import { asObject } from './fields.ts'
import type { ToolJudges } from './input-schema.ts'
import { EXTERNAL_SHOWN_MAX, OPERATIONS_MAX, SELECTED_MAX } from './limits.ts'
import { makeTool } from './make-tool.ts'
import { countOperationSteps, listOperations, type Operation } from './operation.ts'
import { findExternalReferences } from './references.ts'
import { joinNames } from './remarks.ts'
import { makeSecretNames, type SecretOwners } from './secret-names.ts'
import type { ToolSecret } from './security-scheme.ts'
import { explainLeftOut, NOT_SELECTED, type Selection } from './selection.ts'
import { chooseServerUrl, listVariables, readHost, type ServerOptions } from './server-url.ts'
import { readToolSettings, type ToolSettings } from './tool-settings.ts'
import { makeToolId } from './tool-words.ts'
import {
  countSteps,
  makeBudget,
  STEPS_PER_SHARED,
  setBudget,
  spendDocumentSteps,
  type WorkBudget,
  withinBudget,
} from './work-budget.ts'

export type ImportOptions = ServerOptions & {
  /** The gateway's prefix, such as `sg`. */
  readonly gatewayPrefix: string
  /** The import's prefix, with which ids of its skills and names of its secrets start. */
  readonly prefix: string
  readonly source: 'official' | 'market'
  readonly selection: Selection
  /** Settings for tools without settings in the document. */
  readonly defaults: ToolSettings
  readonly outputSchemas: boolean
  readonly hash: (text: string) => string
  readonly judge: ToolJudges
  /** Owners of the secrets that stored skills of this prefix have. */
  readonly secretOwners: SecretOwners
  /** The rest of a budget, after reading and overlay; by default a full budget. */
  readonly budget?: WorkBudget
}

export type ImportedTool = {
  readonly operation: string
  readonly skillId: string
  readonly definition: JsonObject
  readonly notes: readonly string[]
  readonly secrets: readonly ToolSecret[]
}

export type NotImported = { readonly operation: string; readonly reason: string }

export type ImportedTools = {
  readonly tools: readonly ImportedTool[]
  /** Selected operations without a tool. */
  readonly notImported: readonly NotImported[]
  readonly operations: number
  readonly notSelected: number
  readonly secrets: readonly ToolSecret[]
}

/**
 * Imports a document of OpenAPI 3.1 or 3.2. Refuses with `too_large` a document that needs too many
 * steps (work-budget.ts).
 */
export function importTools(document: JsonObject, options: ImportOptions): Result<ImportedTools> {
  const budget = options.budget ?? makeBudget()
  setBudget(document, budget)
  return withinBudget(() => selectAndMake(document, options, budget))
}

function selectAndMake(
  document: JsonObject,
  options: ImportOptions,
  budget: WorkBudget,
): Result<ImportedTools> {
  const external = findExternalReferences(document)
  if (external.length > 0) return refuseExternal(external)
  const { operations, others } = listOperations(document)
  const count = operations.length + others.length
  if (count > OPERATIONS_MAX) return refuse('too_large', tooManyOperations(count))
  const notImported: NotImported[] = []
  const selected: Operation[] = []
  let notSelected = 0
  for (const operation of operations) {
    const reason = explainLeftOut(operation, options.selection, budget)
    if (reason === undefined) selected.push(operation)
    else if (reason === NOT_SELECTED) notSelected += 1
    else notImported.push({ operation: operation.key, reason })
  }
  if (selected.length > SELECTED_MAX && options.selection.all !== true) {
    return refuse('invalid_arguments', tooManySelected(selected.length))
  }
  const unknown = checkVariables(document, selected, options)
  if (unknown !== undefined) return unknown
  for (const { key, reason } of others) notImported.push({ operation: key, reason })
  return ok({
    operations: count,
    notSelected,
    ...makeTools(document, selected, options, notImported),
  })
}

/** Members of the root that are read for each operation, in addition to tags. */
const ROOT_MEMBERS = ['servers', 'security', 'x-skillgate']

function makeTools(
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
  const service = describeService(document, options)
  const ofRoot = ROOT_MEMBERS.reduce((sum, name) => sum + countSteps(document[name]), 0)
  for (const operation of selected) {
    spendDocumentSteps(
      document,
      STEPS_PER_SHARED * ofRoot + countOperationSteps(document, operation),
    )
    const settings = { ...options.defaults, ...readToolSettings(document, operation) }
    if (settings.skip === true) {
      notImported.push({ operation: operation.key, reason: 'Its x-skillgate settings say skip.' })
      continue
    }
    const skillId = makeToolId(operation, settings, { start, taken: takenIds, hash })
    takenIds.add(skillId)
    const tool = makeTool(document, operation, { ...options, ...service, skillId, settings })
    if (tool.kind === 'refused') {
      notImported.push({ operation: operation.key, reason: tool.reasons.join(' ') })
      continue
    }
    for (const secret of tool.secrets) secrets.set(secret.name, secret)
    const { definition, notes } = tool
    tools.push({ operation: operation.key, skillId, definition, notes, secrets: tool.secrets })
  }
  return { tools, notImported, secrets: [...secrets.values()] }
}

/** Returns the host and the secret names, which are the same for all operations. */
function describeService(document: JsonObject, options: ImportOptions) {
  const { hash, prefix, secretOwners } = options
  const root = chooseServerUrl(document, { raw: {}, pathItem: {} }, options, [])
  const components = asObject(document['components'])
  const schemes = Object.keys(asObject(components['securitySchemes']))
  return {
    host: root.ok ? readHost(root.value) : '',
    secretNames: makeSecretNames({ api: prefix, schemes, owners: secretOwners, hash }),
  }
}

/** Refuses unknown variables: with a misspelled name, calls would go to the default server. */
function checkVariables(
  document: JsonObject,
  selected: readonly Operation[],
  { serverVariables = {} }: ImportOptions,
): Result<never> | undefined {
  const places = selected.flatMap(({ pathItem, raw }) => [raw, pathItem])
  const known = listVariables([document, ...new Set(places)])
  const unknown = Object.keys(serverVariables).filter((name) => !known.has(name))
  if (unknown.length === 0) return undefined
  const has = known.size === 0 ? 'its servers have none' : `its servers have ${joinNames(known)}`
  const faults = unknown.map((name) => ({
    pointer: `/serverVariables${toJsonPointer([name])}`,
    message: `is no variable of the document: ${has}`,
  }))
  const detail = `serverVariables: ${joinNames(unknown)} is no variable of the document: ${has}.`
  return refuse('invalid_arguments', detail, { faults })
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

function tooManyOperations(count: number): string {
  return `document: has ${count} operations; ${OPERATIONS_MAX} can be read. Send a part of it.`
}

function tooManySelected(count: number): string {
  return (
    `selection: takes ${count} operations, and a model reads the whole list; select at most ` +
    `${SELECTED_MAX}, or set selection.all to true.`
  )
}
