/**
 * POST imports/openapi:plan and :check: shows what an import would change. Writes nothing. The plan
 * compares the document with the skills that are stored now. :apply makes a plan of its own, so
 * nothing is kept between the two requests.
 */
import { ok, type Result } from '../../errors.ts'
import { readImportMark } from '../../openapi/import-mark.ts'
import { type ImportedTool, type ImportedTools, importTools } from '../../openapi/import-tools.ts'
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
import { countListBytes, NO_CHANGES, type PlannedSkill } from './planned-skill.ts'
import type { Planner } from './planner.ts'
import {
  type ImportPlace,
  isOfImport,
  readSecretOwners,
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
  /** UTF-8 bytes of the tools in a list, as agents get them. */
  readonly listBytes: number
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
  const secretOwners = await readSecretOwners(ports, toImportPlace(settings, request))
  const terms = toImportTerms(ports, settings, request)
  const imported = importTools(document.value, { ...terms, budget, secretOwners })
  if (!imported.ok) return imported
  const { tools, ...rest } = imported.value
  const skillTerms = { text: '', source: request.source ?? 'official', uid: undefined } as const
  const checked = tools.map((tool): ValidTool | RefusedOperation => {
    const { definition: sent, notes } = stripHidden(tool.definition)
    const read = validateDefinition(
      { ...ports, schemas: ACCEPT_ALL_SCHEMAS },
      settings,
      skillTerms,
      sent,
    )
    if (!read.ok) return { operation: tool.operation, reason: read.error.detail }
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
  const all = [...skills, ...missing.map((record) => planRemoval(context, record))]
  return {
    place,
    skills: all,
    read: { ...imported, notImported: [...imported.notImported, ...refused] },
    listBytes: countListBytes(settings, all),
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
    hash: (text: string) => ports.digests.sha256(text),
    judge: { ...makeSchemaChecker(ports), config: makeConfigChecker(ports, settings) },
  }
}

type Context = {
  readonly ports: PlanNeeds
  readonly place: ImportPlace
  readonly request: ImportRequest
}

type RefusedOperation = { readonly operation: string; readonly reason: string }

function planTool(
  { place, ports }: Context,
  { definition, notes, operation, secrets, skill, skillId }: ValidTool,
  stored: ReadonlyMap<string, SkillRecord>,
): PlannedSkill | RefusedOperation {
  const hash = (text: string) => ports.digests.sha256(text)
  const { prefix } = place
  const credentials = secrets.map(({ credential, name }): [string, string] => [name, credential])
  const own = secrets.length === 0 ? {} : { secrets: Object.fromEntries(credentials) }
  const made = { definition, whose: { operation, prefix, ...own } }
  const record = stored.get(skillId)
  const common = { skillId, madeOf: operation, notes, stored: record }
  if (record === undefined) {
    const marked = markSkill(made, hash)
    return { ...common, merged: NO_CHANGES, kind: 'added', definition: marked, skill }
  }
  if (!isOfImport(record, prefix)) {
    return { operation, reason: `A skill ${skillId} exists that this import did not make.` }
  }
  const merged = mergeSkill(record.definition, made, hash)
  const kind = merged.isChanged ? 'changed' : 'unchanged'
  return { ...common, merged, kind, definition: merged.definition }
}

/**
 * An import first disables a skill whose operation is missing. A later import with `deleteDisabled`
 * deletes the skill, unless an administrator has stopped it.
 */
function planRemoval({ ports, request }: Context, record: SkillRecord): PlannedSkill {
  const { definition, skillId } = record
  const hash = (text: string) => ports.digests.sha256(text)
  const isStopped = isStoppedByHand(definition, hash)
  const isDisabled = isDisabledByImport(definition, hash) || definition['state'] === 'disabled'
  const isDeleted = isDisabled && !isStopped && request.deleteDisabled === true
  const operation = readImportMark(definition)?.operation ?? ''
  const reason = `The API has no operation ${operation} any more.`
  const breaking = isDisabled ? [] : [`The operation ${operation} is gone.`]
  return {
    skillId,
    madeOf: operation,
    stored: record,
    notes: [],
    merged: { ...NO_CHANGES, breaking },
    kind: isDeleted ? 'deleted' : isDisabled ? 'unchanged' : 'disabled',
    definition: isDisabled ? definition : disableTool(definition, reason, hash),
  }
}
