/**
 * POST imports/openapi:plan and :check: shows what an import would change. Writes nothing. The plan
 * compares the document with the skills that are stored now. :apply makes a plan of its own, so
 * nothing is kept between the two requests.
 */
import { ok, type Refusal, type Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { asObject } from '../../openapi/fields.ts'
import { readImportMark } from '../../openapi/import-mark.ts'
import { type ImportedTool, type ImportedTools, importTools } from '../../openapi/import-tools.ts'
import type { NotImported } from '../../openapi/left-out.ts'
import {
  disableTool,
  isDisabledByImport,
  isStoppedByHand,
  markSkill,
  mergeSkill,
} from '../../openapi/merge-tool.ts'
import { makeBudget } from '../../openapi/work-budget.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { Skill, SkillRecord } from '../../skills/skill.ts'
import { type ValidateSkillNeeds, validateDefinition } from '../registry/validate-skill.ts'
import { ACCEPT_ALL_SCHEMAS, makeConfigChecker, makeSchemaChecker } from './check-imported.ts'
import { type ImportRequest, readImportDocument } from './import-request.ts'
import {
  listTools,
  NO_CHANGES,
  type PlannedSkill,
  type PlannedTool,
  type RemovalCause,
} from './planned-skill.ts'
import type { Planner } from './planner.ts'
import {
  type ImportPlace,
  isOfImport,
  readEarlierImports,
  readStoredImport,
  type StoredSkillNeeds,
  toImportPlace,
} from './stored-imports.ts'
import { stripHidden } from './strip-hidden.ts'

export type PlanNeeds = Omit<ValidateSkillNeeds, 'skillMarkdown'> &
  Pick<Ports, 'digests' | 'openApiDocuments' | 'skillMarkdown'> &
  StoredSkillNeeds

export type ImportPlan = {
  readonly place: ImportPlace
  readonly skills: readonly PlannedSkill[]
  readonly read: Pick<ImportedTools, 'notImported' | 'notSelected' | 'operations' | 'secrets'>
  /** The tools that are listed, as agents get them. */
  readonly listed: readonly PlannedTool[]
}

/** A document and the tools of its operations. Stored skills have no influence on it. */
type PreparedImport = {
  readonly request: ImportRequest
  readonly imported: Omit<ImportedTools, 'tools'>
  readonly tools: readonly ValidTool[]
  /** Ids of all selected operations: one that was refused is not missing from the document. */
  readonly skillIds: ReadonlySet<string>
}

type ValidTool = ImportedTool & { readonly skill: Skill }

/** Makes one plan. Refuses a document that cannot be imported. */
export function planImport(
  ...given: Parameters<typeof makeImportPlanner>
): Promise<Result<ImportPlan>> {
  return makeImportPlanner(...given).plan()
}

/** Reads and validates the document once, however often it is planned. */
export function makeImportPlanner(
  ports: PlanNeeds,
  settings: Settings,
  request: ImportRequest,
): Planner<ImportPlan> {
  let reading: Promise<Result<PreparedImport>> | undefined
  return {
    plan: async () => {
      reading ??= prepareImport(ports, settings, request)
      const prepared = await reading
      return prepared.ok ? ok(await comparePrepared(ports, settings, prepared.value)) : prepared
    },
  }
}

async function prepareImport(
  ports: PlanNeeds,
  settings: Settings,
  request: ImportRequest,
): Promise<Result<PreparedImport>> {
  const budget = makeBudget()
  const document = await readImportDocument(ports, request, budget)
  if (!document.ok) return document
  const terms = toImportTerms(ports, settings, request)
  const place = toImportPlace(settings, request)
  const earlier = await readEarlierImports(ports, place, terms.hash)
  const imported = importTools(document.value, { ...terms, ...earlier, budget })
  if (!imported.ok) return imported
  const { tools, ...rest } = imported.value
  const skillTerms = { text: '', source: request.source ?? 'official', uid: undefined } as const
  const checked = tools.map((tool): ValidTool | NotImported => {
    const { definition: sent, notes } = stripHidden(tool.definition)
    const read = validateDefinition(
      { ...ports, schemas: ACCEPT_ALL_SCHEMAS },
      settings,
      skillTerms,
      sent,
    )
    if (!read.ok) return explainRefusal(tool.operation, sent, read.error)
    // The definition as a sync would store it, so that a repeated import finds no difference.
    const { definition, skill } = read.value
    return { ...tool, definition, skill, notes: [...tool.notes, ...notes] }
  })
  const refused = checked.flatMap((one) => ('reason' in one ? [one] : []))
  return ok({
    request,
    imported: { ...rest, notImported: [...rest.notImported, ...refused] },
    tools: checked.flatMap((one) => ('reason' in one ? [] : [one])),
    skillIds: new Set(tools.map(({ skillId }) => skillId)),
  })
}

async function comparePrepared(
  ports: PlanNeeds,
  settings: Settings,
  { imported, request, skillIds, tools }: PreparedImport,
): Promise<ImportPlan> {
  const place = toImportPlace(settings, request)
  const stored = await readStoredImport(ports, place)
  const context = { ports, place, request }
  const planned = tools.map((tool) => planTool(context, tool, stored))
  const skills = planned.flatMap((one) => ('reason' in one ? [] : [one]))
  const refused = planned.flatMap((one) => ('reason' in one ? [one] : []))
  const missing = [...stored.values()].filter(
    (record) => !skillIds.has(record.skillId) && isOfImport(record, place.prefix),
  )
  const notImported = [...imported.notImported, ...refused]
  const explain = explainMissing(imported.notSelected, notImported)
  const all = [...skills, ...missing.map((record) => planRemoval(context, record, explain))]
  return {
    place,
    skills: all,
    read: { ...imported, notImported },
    listed: listTools(settings, all),
  }
}

function toImportTerms(ports: PlanNeeds, settings: Settings, request: ImportRequest) {
  const { prefix } = settings
  const { baseUrl, defaults = {}, outputSchemas = true, selection = {}, source } = request
  return {
    gatewayPrefix: prefix,
    prefix: request.prefix,
    source: source ?? ('official' as const),
    selection,
    defaults,
    baseUrl,
    serverVariables: request.serverVariables,
    outputSchemas,
    names: request.names ?? {},
    hash: (text: string) => ports.digests.sha256(text),
    judge: { ...makeSchemaChecker(ports), config: makeConfigChecker(ports, settings) },
  }
}

/** A skill's reader names fields of a skill; two of its refusals have words of the import. */
function explainRefusal(operation: string, sent: JsonObject, refusal: Refusal): NotImported {
  const { detail, faults = [] } = refusal
  if (sent['credits_per_call'] === null) {
    return { operation, code: 'no_price', reason: 'It has no price.' }
  }
  const endpoint = String(asObject(sent['config'])['endpoint'])
  const isHttp = /^http:/i.test(endpoint)
  if (isHttp && faults.some(({ pointer }) => pointer === '/config/endpoint')) {
    const reason = `Its server ${endpoint.replace(/^(http:\/\/[^/?#]*).*$/i, '$1')} is http: ${detail}`
    return { operation, code: 'http_server', reason }
  }
  return { operation, code: 'unsupported', reason: detail }
}

type Context = {
  readonly ports: PlanNeeds
  readonly place: ImportPlace
  readonly request: ImportRequest
}

function planTool(
  { place, ports }: Context,
  { chosenName, definition, nameOrigin, notes, operation, secrets, skill, skillId }: ValidTool,
  stored: ReadonlyMap<string, SkillRecord>,
): PlannedSkill | NotImported {
  const hash = (text: string) => ports.digests.sha256(text)
  const { prefix } = place
  const credentials = secrets.map(({ credential, name }): [string, string] => [name, credential])
  const own = secrets.length === 0 ? {} : { secrets: Object.fromEntries(credentials) }
  const name = chosenName === undefined ? {} : { name: chosenName }
  const made = { definition, whose: { operation, prefix, ...name, ...own } }
  const record = stored.get(skillId)
  const common = { skillId, madeOf: operation, nameOrigin, notes, stored: record }
  if (record === undefined) {
    const marked = markSkill(made, hash)
    return { ...common, merged: NO_CHANGES, kind: 'added', definition: marked, skill }
  }
  if (!isOfImport(record, prefix)) {
    const reason = `A skill ${skillId} exists that this import did not make.`
    return { operation, code: 'id_taken', reason }
  }
  const merged = mergeSkill(record.definition, made, hash)
  const kind = merged.isChanged ? 'changed' : 'unchanged'
  return { ...common, merged, kind, definition: merged.definition }
}

/** What became of each missing operation: the plan distinguishes a choice from a loss. */
function explainMissing(
  notSelected: readonly string[],
  notImported: readonly NotImported[],
): (operation: string) => RemovalCause {
  const unselected = new Set(notSelected)
  const refused = new Set(notImported.map(({ operation }) => operation))
  return (operation) =>
    unselected.has(operation) ? 'not_selected' : refused.has(operation) ? 'not_imported' : 'gone'
}

type Removal = { readonly breaks: string; readonly reason: (operation: string) => string }

/** `reason` is what agents read when they call the skill. */
const REMOVALS: { readonly [cause in RemovalCause]: Removal } = {
  gone: {
    breaks: 'is gone',
    reason: (operation) => `The API has no operation ${operation} any more.`,
  },
  not_selected: {
    breaks: 'is no longer selected',
    reason: (operation) => `The operation ${operation} is no longer offered.`,
  },
  not_imported: {
    breaks: 'can no longer be imported',
    reason: (operation) => `The operation ${operation} can no longer be called.`,
  },
}

/**
 * An import first disables a skill whose operation is missing. A later import with `deleteDisabled`
 * deletes the skill, unless an administrator has stopped it.
 */
function planRemoval(
  { ports, request }: Context,
  record: SkillRecord,
  explain: (operation: string) => RemovalCause,
): PlannedSkill {
  const { definition, skillId } = record
  const hash = (text: string) => ports.digests.sha256(text)
  const isStopped = isStoppedByHand(definition, hash)
  const isDisabled = isDisabledByImport(definition, hash) || definition['state'] === 'disabled'
  const isDeleted = isDisabled && !isStopped && request.deleteDisabled === true
  const operation = readImportMark(definition)?.operation ?? ''
  const cause = explain(operation)
  const { breaks, reason } = REMOVALS[cause]
  const breaking = isDisabled ? [] : [`The operation ${operation} ${breaks}.`]
  return {
    skillId,
    madeOf: operation,
    stored: record,
    notes: [],
    merged: { ...NO_CHANGES, breaking },
    kind: isDeleted ? 'deleted' : isDisabled ? 'unchanged' : 'disabled',
    definition: isDisabled ? definition : disableTool(definition, reason(operation), hash),
    cause,
  }
}
