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
import type { NotImported } from './left-out.ts'
import { EXTERNAL_SHOWN_MAX, OPERATIONS_MAX, SELECTED_MAX } from './limits.ts'
import { makeTool } from './make-tool.ts'
import { countOperationSteps, listOperations, type Operation } from './operation.ts'
import { findExternalReferences } from './references.ts'
import { joinNames } from './remarks.ts'
import { makeSecretNames, type SecretOwners } from './secret-names.ts'
import type { ToolSecret } from './security-scheme.ts'
import { explainLeftOut, type Selection } from './selection.ts'
import { chooseServerUrl, listVariables, readHost, type ServerOptions } from './server-url.ts'
import {
  type ChosenNames,
  type GivenNames,
  makeToolName,
  type NameOrigin,
  resolveNames,
} from './tool-name.ts'
import { readToolSettings, type ToolSettings } from './tool-settings.ts'
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
  /** Names of tools, by operation. */
  readonly names?: GivenNames
  /** Names that earlier imports were given. */
  readonly keptNames?: ChosenNames
  /** The rest of a budget, after reading and overlay; by default a full budget. */
  readonly budget?: WorkBudget
}

export type ImportedTool = {
  readonly operation: string
  readonly skillId: string
  readonly nameOrigin: NameOrigin
  /** The part of the id that an administrator chose, now or earlier. */
  readonly chosenName: string | undefined
  readonly definition: JsonObject
  readonly notes: readonly string[]
  readonly secrets: readonly ToolSecret[]
}

export type ImportedTools = {
  readonly tools: readonly ImportedTool[]
  /** Selected operations without a tool. */
  readonly notImported: readonly NotImported[]
  readonly operations: number
  /** Names of the operations that the selection leaves out. */
  readonly notSelected: readonly string[]
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
  const { leftOut, notSelected, selected } = selectOperations(operations, options, budget)
  if (selected.length > SELECTED_MAX && options.selection.all !== true) {
    return refuseMany(selected.length)
  }
  const unknown = checkVariables(document, selected, options)
  if (unknown !== undefined) return unknown
  const names = chooseNames(selected, options)
  if (!names.ok) return names
  const unsupported = others.map(
    ({ key, reason }): NotImported => ({ operation: key, code: 'unsupported', reason }),
  )
  const notImported = [...leftOut, ...unsupported]
  return ok({
    operations: count,
    notSelected,
    ...makeTools(document, selected, { ...options, names: names.value }, notImported),
  })
}

type SelectedOperations = {
  readonly selected: readonly Operation[]
  readonly leftOut: readonly NotImported[]
  readonly notSelected: readonly string[]
}

function selectOperations(
  operations: readonly Operation[],
  { selection }: ImportOptions,
  budget: WorkBudget,
): SelectedOperations {
  const leftOut: NotImported[] = []
  const selected: Operation[] = []
  const notSelected: string[] = []
  for (const operation of operations) {
    const reason = explainLeftOut(operation, selection, budget)
    if (reason === undefined) selected.push(operation)
    else if (reason === 'not_selected') notSelected.push(operation.key)
    else leftOut.push({ operation: operation.key, ...reason })
  }
  return { leftOut, notSelected, selected }
}

const SKIPPED = { code: 'skipped', reason: 'Its x-skillgate settings say skip.' } as const

/** Names that are given now take precedence over names that earlier imports were given. */
function chooseNames(
  selected: readonly Operation[],
  { gatewayPrefix, keptNames = new Map(), names = {}, prefix }: ImportOptions,
): Result<ChosenNames> {
  const given = resolveNames(names, selected, `${gatewayPrefix}_${prefix}_`)
  if (!given.ok) return given
  const taken = new Set(given.value.values())
  const kept = [...keptNames].filter(([key, name]) => !given.value.has(key) && !taken.has(name))
  return ok(new Map([...kept, ...given.value]))
}

/** Members of the root that are read for each operation, in addition to tags. */
const ROOT_MEMBERS = ['servers', 'security', 'x-skillgate']

function makeTools(
  document: JsonObject,
  selected: readonly Operation[],
  options: Omit<ImportOptions, 'names'> & { readonly names: ChosenNames },
  leftOut: readonly NotImported[],
): Pick<ImportedTools, 'tools' | 'notImported' | 'secrets'> {
  const { hash } = options
  const tools: ImportedTool[] = []
  const notImported = [...leftOut]
  const secrets = new Map<string, ToolSecret>()
  const start = `${options.gatewayPrefix}_${options.prefix}_`
  const chosenIds = selected.flatMap(({ key }) => options.names.get(key) ?? [])
  const takenIds = new Set(chosenIds.map((name) => `${start}${name}`))
  const service = describeService(document, options)
  const ofRoot = ROOT_MEMBERS.reduce((sum, name) => sum + countSteps(document[name]), 0)
  for (const operation of selected) {
    spendDocumentSteps(
      document,
      STEPS_PER_SHARED * ofRoot + countOperationSteps(document, operation),
    )
    const settings = { ...options.defaults, ...readToolSettings(document, operation) }
    if (settings.skip === true) {
      notImported.push({ operation: operation.key, ...SKIPPED })
      continue
    }
    const chosenName = options.names.get(operation.key)
    const { origin: nameOrigin, skillId } =
      chosenName === undefined
        ? makeToolName(operation, settings, { start, taken: takenIds, hash })
        : ({ skillId: `${start}${chosenName}`, origin: 'chosen' } as const)
    takenIds.add(skillId)
    const tool = makeTool(document, operation, { ...options, ...service, skillId, settings })
    if (tool.kind === 'refused') {
      const { code, reason } = tool
      notImported.push({ operation: operation.key, code, reason })
      continue
    }
    for (const secret of tool.secrets) secrets.set(secret.name, secret)
    const { definition, notes, secrets: ofTool } = tool
    const named = { operation: operation.key, skillId, nameOrigin, chosenName }
    tools.push({ ...named, definition, notes, secrets: ofTool })
  }
  return { tools, notImported, secrets: [...secrets.values()] }
}

/** Returns the host and the secret names, which are the same for all operations. */
function describeService(document: JsonObject, options: Omit<ImportOptions, 'names'>) {
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

function refuseMany(count: number): Result<never> {
  const detail =
    `selection: takes ${count} operations, and a model reads the whole list; select at most ` +
    `${SELECTED_MAX}, or set selection.all to true.`
  const message = `takes ${count} operations; ${SELECTED_MAX} at most`
  return refuse('invalid_arguments', detail, { faults: [{ pointer: '/selection/all', message }] })
}
