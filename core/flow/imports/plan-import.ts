/**
 * POST imports/openapi:plan and :check: what an import would change. Writes nothing. The plan is made
 * of what is stored now; :apply makes its own, so nothing has to be kept between the two.
 */
import { ok, type Result } from '../../errors.ts'
import { markOf } from '../../openapi/import-mark.ts'
import { type ImportedTool, type ImportedTools, importTools } from '../../openapi/import-tools.ts'
import {
  disabledTool,
  isDisabledByImport,
  isStoppedByHand,
  markedSkill,
  mergeSkill,
} from '../../openapi/merge-tool.ts'
import { newBudget } from '../../openapi/work-budget.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { Skill, SkillRecord } from '../../skills/skill.ts'
import { judgeDefinition, type ValidateSkillNeeds } from '../registry/validate-skill.ts'
import { type ImportRequest, readImportDocument } from './import-request.ts'
import { configJudge, JUDGED_SCHEMAS, schemaJudge } from './judge-schema.ts'
import { listBytesOf, NO_CHANGES, type PlannedSkill } from './planned-skill.ts'
import type { Planner } from './planner.ts'
import {
  type ImportPlace,
  importPlaceOf,
  isOfImport,
  readSecretOwners,
  readStoredImport,
  type StoredSkillNeeds,
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

/** A document and what its operations become; the same however often it is compared with what is stored. */
type PreparedImport = {
  readonly request: ImportRequest
  readonly imported: Omit<ImportedTools, 'tools'>
  readonly tools: readonly JudgedTool[]
  /** Of all that were selected: a tool that was refused is not gone. */
  readonly skillIds: ReadonlySet<string>
}

type JudgedTool = ImportedTool & { readonly skill: Skill }

export function planImport(
  ...given: Parameters<typeof importPlanner>
): Promise<Result<ImportPlan>> {
  return importPlanner(...given).plan()
}

/** Reads and judges the document once, however often it is planned. */
export function importPlanner(
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
  const budget = newBudget()
  const document = await readImportDocument(ports, request, budget)
  if (!document.ok) return document
  const secretOwners = await readSecretOwners(ports, importPlaceOf(settings, request))
  const terms = optionsOf(ports, settings, request)
  const imported = importTools(document.value, { ...terms, budget, secretOwners })
  if (!imported.ok) return imported
  const { tools, ...rest } = imported.value
  const asked = { text: '', source: request.source ?? 'official', uid: undefined } as const
  const judged = tools.map((tool): JudgedTool | RefusedOperation => {
    // Written out as a sync would, so that a repeated import finds no difference.
    const { definition: sent, notes } = stripHidden(tool.definition)
    const read = judgeDefinition({ ...ports, schemas: JUDGED_SCHEMAS }, settings, asked, sent)
    if (read.ok) {
      const { definition, skill } = read.value
      return { ...tool, definition, skill, notes: [...tool.notes, ...notes] }
    }
    return { operation: tool.operation, reason: read.error.detail }
  })
  const refused = judged.flatMap((one) => ('reason' in one ? [one] : []))
  return ok({
    request,
    imported: { ...rest, notImported: [...rest.notImported, ...refused] },
    tools: judged.flatMap((one) => ('reason' in one ? [] : [one])),
    skillIds: new Set(tools.map(({ skillId }) => skillId)),
  })
}

async function comparePrepared(
  ports: PlanNeeds,
  settings: Settings,
  { imported, request, skillIds, tools }: PreparedImport,
): Promise<ImportPlan> {
  const place = importPlaceOf(settings, request)
  const stored = await readStoredImport(ports, place)
  const context = { ports, place, request }
  const planned = tools.map((tool) => plannedTool(context, tool, stored))
  const skills = planned.flatMap((one) => ('reason' in one ? [] : [one]))
  const refused = planned.flatMap((one) => ('reason' in one ? [one] : []))
  const missing = [...stored.values()].filter(
    (record) => !skillIds.has(record.skillId) && isOfImport(record, place.prefix),
  )
  const all = [...skills, ...missing.map((record) => plannedRemoval(context, record))]
  return {
    place,
    skills: all,
    read: { ...imported, notImported: [...imported.notImported, ...refused] },
    listBytes: listBytesOf(settings, all),
  }
}

function optionsOf(ports: PlanNeeds, settings: Settings, request: ImportRequest) {
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
    judge: { ...schemaJudge(ports), config: configJudge(ports, settings) },
  }
}

type Context = {
  readonly ports: PlanNeeds
  readonly place: ImportPlace
  readonly request: ImportRequest
}

type RefusedOperation = { readonly operation: string; readonly reason: string }

function plannedTool(
  { place, ports }: Context,
  { definition, notes, operation, secrets, skill, skillId }: JudgedTool,
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
    const marked = markedSkill(made, hash)
    return { ...common, merged: NO_CHANGES, kind: 'added', definition: marked, skill }
  }
  if (!isOfImport(record, prefix)) {
    return { operation, reason: `A skill ${skillId} exists that this import did not make.` }
  }
  const merged = mergeSkill(record.definition, made, hash)
  const kind = merged.isChanged ? 'changed' : 'unchanged'
  return { ...common, merged, kind, definition: merged.definition }
}

/** First disabled; deleted by a second import that asks for it, unless an administrator stopped it. */
function plannedRemoval({ ports, request }: Context, record: SkillRecord): PlannedSkill {
  const { definition, skillId } = record
  const hash = (text: string) => ports.digests.sha256(text)
  const isStopped = isStoppedByHand(definition, hash)
  const isDisabled = isDisabledByImport(definition, hash) || definition['state'] === 'disabled'
  const isDeleted = isDisabled && !isStopped && request.deleteDisabled === true
  const operation = markOf(definition)?.operation ?? ''
  const reason = `The API has no operation ${operation} any more.`
  const breaking = isDisabled ? [] : [`The operation ${operation} is gone.`]
  return {
    skillId,
    madeOf: operation,
    stored: record,
    notes: [],
    merged: { ...NO_CHANGES, breaking },
    kind: isDeleted ? 'deleted' : isDisabled ? 'unchanged' : 'disabled',
    definition: isDisabled ? definition : disabledTool(definition, reason, hash),
  }
}
