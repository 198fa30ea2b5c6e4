/**
 * POST imports/openapi:plan and :check: what an import would change. Writes nothing. The plan is made
 * of what is stored now; :apply makes its own, so nothing has to be kept between the two.
 */
import { ok, type Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { bytesOf } from '../../json/text-bytes.ts'
import { markOf } from '../../openapi/import-mark.ts'
import { type ImportedTool, type ImportedTools, importTools } from '../../openapi/import-tools.ts'
import {
  disabledTool,
  isDisabledByImport,
  type MergedTool,
  markedTool,
  mergeTool,
} from '../../openapi/merge-tool.ts'
import type { Ports } from '../../ports.ts'
import type { Settings } from '../../settings.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import { toolOfSkill } from '../../skills/skill-tool.ts'
import { readStoredSkill } from '../../skills/stored-skill.ts'
import { defaultFaults } from '../registry/check-defaults.ts'
import { judgeDefinition, type ValidateSkillNeeds } from '../registry/validate-skill.ts'
import { type ImportRequest, readImportDocument } from './import-request.ts'
import { type ImportPlace, isOfImport, readStoredImport } from './stored-imports.ts'

export type PlanNeeds = Omit<ValidateSkillNeeds, 'skillMarkdown'> &
  Pick<Ports, 'digests' | 'openApiDocuments' | 'skills' | 'skillMarkdown'>

/** One skill of a plan, with what is to be stored. */
export type PlannedSkill = {
  readonly skillId: string
  readonly operation: string
  readonly stored: SkillRecord | undefined
  readonly merged: Pick<MergedTool, 'breaking' | 'changes' | 'conflicts' | 'edited'>
  readonly kind: 'added' | 'changed' | 'unchanged' | 'disabled' | 'deleted'
  readonly definition: JsonObject
  readonly notes: readonly string[]
}

export type ImportPlan = {
  readonly place: ImportPlace
  readonly skills: readonly PlannedSkill[]
  readonly read: Pick<ImportedTools, 'notImported' | 'notSelected' | 'operations' | 'secrets'>
  /** UTF-8 bytes of the tools in a list, as agents get them. */
  readonly listBytes: number
}

export async function planImport(
  ports: PlanNeeds,
  settings: Settings,
  request: ImportRequest,
): Promise<Result<ImportPlan>> {
  const document = await readImportDocument(ports, request)
  if (!document.ok) return document
  const imported = importTools(document.value, optionsOf(ports, settings, request))
  if (!imported.ok) return imported
  const place = placeOf(settings, request)
  const stored = await readStoredImport(ports, place)
  const context = { ports, settings, place, request }
  const planned = imported.value.tools.map((tool) => plannedTool(context, tool, stored))
  const skills = planned.flatMap((one) => ('reason' in one ? [] : [one]))
  const refused = planned.flatMap((one) => ('reason' in one ? [one] : []))
  const importedIds = new Set(imported.value.tools.map(({ skillId }) => skillId))
  const missing = [...stored.values()].filter(
    (record) => !importedIds.has(record.skillId) && isOfImport(record, place.prefix),
  )
  const all = [...skills, ...missing.map((record) => plannedRemoval(context, record))]
  return ok({
    place,
    skills: all,
    read: { ...imported.value, notImported: [...imported.value.notImported, ...refused] },
    listBytes: listBytesOf(settings, all),
  })
}

function placeOf({ prefix }: Settings, request: ImportRequest): ImportPlace {
  const { prefix: api, source = 'official' } = request
  return { source, prefix: api, start: `${prefix}_${api}_` }
}

function optionsOf(ports: PlanNeeds, { prefix }: Settings, request: ImportRequest) {
  const { baseUrl, defaults = {}, outputSchemas = true, selection = {}, source } = request
  const { schemas } = ports
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
    judge: (schema: JsonObject) => {
      const faults = schemas.schemaFaults(schema)
      return faults.length > 0 ? faults : defaultFaults({ schemas }, schema)
    },
  }
}

type Context = {
  readonly ports: PlanNeeds
  readonly settings: Settings
  readonly place: ImportPlace
  readonly request: ImportRequest
}

type Refused = { readonly operation: string; readonly reason: string }

const NO_CHANGES = { breaking: [], changes: [], conflicts: [], edited: [] }

/** The definition is written out as a sync would, so that a repeated import finds no difference. */
function plannedTool(
  { place, ports, settings }: Context,
  { definition, notes, operation, skillId }: ImportedTool,
  stored: ReadonlyMap<string, SkillRecord>,
): PlannedSkill | Refused {
  const request = { text: '', source: place.source, uid: undefined }
  const judged = judgeDefinition(ports, settings, request, definition)
  if (!judged.ok) return { operation, reason: judged.error.detail }
  const hash = (text: string) => ports.digests.sha256(text)
  const imported = { definition: judged.value.definition, operation, prefix: place.prefix }
  const record = stored.get(skillId)
  const common = { skillId, operation, notes, stored: record }
  if (record === undefined) {
    return { ...common, merged: NO_CHANGES, kind: 'added', definition: markedTool(imported, hash) }
  }
  const merged = mergeTool(record.definition, imported, hash)
  if (merged === undefined) {
    return { operation, reason: `A skill ${skillId} exists that this import did not make.` }
  }
  const kind = merged.isChanged ? 'changed' : 'unchanged'
  return { ...common, merged, kind, definition: merged.definition }
}

/** First disabled; deleted by a second import that asks for it. */
function plannedRemoval({ ports, request }: Context, record: SkillRecord): PlannedSkill {
  const { definition, skillId } = record
  const hash = (text: string) => ports.digests.sha256(text)
  const isDisabled = isDisabledByImport(definition, hash)
  const isDeleted = isDisabled && request.deleteDisabled === true
  const operation = markOf(definition)?.operation ?? ''
  const breaking = isDisabled ? [] : [`The operation ${operation} is gone.`]
  return {
    ...{ skillId, operation, stored: record, notes: [] },
    merged: { ...NO_CHANGES, breaking },
    kind: isDeleted ? 'deleted' : isDisabled ? 'unchanged' : 'disabled',
    definition: isDisabled ? definition : disabledTool(definition, hash),
  }
}

function listBytesOf({ prefix }: Settings, skills: readonly PlannedSkill[]): number {
  let bytes = 0
  for (const { definition, kind } of skills) {
    if (kind === 'deleted' || kind === 'disabled' || (definition['state'] ?? 'listed') !== 'listed')
      continue
    const read = readStoredSkill({ definition } as SkillRecord, prefix)
    if (!read.ok) continue
    const { annotations, description, inputSchema, name, outputSchema, title } = toolOfSkill(
      read.value.skill,
      read.value.skill.skillId,
    )
    bytes += bytesOf(
      JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations }),
    )
  }
  return bytes
}
