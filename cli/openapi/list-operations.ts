/**
 * Lists the operations of a document with the size of the tool that each becomes. Nothing is sent:
 * the tools are made here, by the code of the gateway, for a gateway with its usual settings.
 */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { makeOpenApiDocuments } from '../../adapters/formats/openapi-text.ts'
import { ok, type Result } from '../../core/errors.ts'
import {
  NO_CHANGES,
  type PlannedSkill,
  toPlannedTool,
  toTokens,
} from '../../core/flow/imports/planned-skill.ts'
import type { JsonObject } from '../../core/json/json.ts'
import { asText } from '../../core/openapi/fields.ts'
import { readHtml } from '../../core/openapi/html-text.ts'
import { type ImportedTools, importTools } from '../../core/openapi/import-tools.ts'
import { listOperations } from '../../core/openapi/operation.ts'
import type { Selection } from '../../core/openapi/selection.ts'
import type { ServerOptions } from '../../core/openapi/server-url.ts'
import { withinBudget } from '../../core/openapi/work-budget.ts'
import { selectPart } from './selected-part.ts'

export type OperationRow = {
  readonly tags: readonly string[]
  /** The id; without one, or if several operations have it, method and path. */
  readonly operation: string
  readonly method: string
  readonly path: string
  /** Of the tool in a list; undefined if the operation cannot be a tool. */
  readonly tokens: number | undefined
  readonly state: 'ok' | 'deprecated' | 'no tool'
  /** Why the operation cannot be a tool. */
  readonly reason: string | undefined
  readonly summary: string | undefined
}

/** The start of a usual gateway's tool names, which counts in their sizes. */
const GATEWAY_PREFIX = 'sg'
/** Prefix and price of the tools do not matter for the list. */
const PREFIX = 'api'

export type ListTerms = ServerOptions & {
  readonly selection: Selection
  readonly prefix?: string | undefined
}

/** Refuses a document that cannot be imported at all. */
export async function listDocument(
  document: JsonObject,
  terms: ListTerms,
): Promise<Result<readonly OperationRow[]>> {
  const selection = { ...terms.selection, all: true, deprecated: true }
  const part = withinBudget(() => ok(selectPart(document, selection)))
  if (!part.ok) return part
  const upgraded = await makeOpenApiDocuments().upgrade(part.value.document)
  if (!upgraded.ok) return upgraded
  const imported = makeTools(upgraded.value, { ...terms, selection })
  if (!imported.ok) return imported
  return ok(toRows(upgraded.value, imported.value))
}

/** Schemas are judged by the gateway alone, which may shorten them. */
function makeTools(
  document: JsonObject,
  { prefix = PREFIX, ...terms }: ListTerms,
): Result<ImportedTools> {
  const acceptAll = () => []
  const { sha256 } = nodeDigests()
  return importTools(document, {
    ...terms,
    prefix,
    gatewayPrefix: GATEWAY_PREFIX,
    source: 'official',
    defaults: { credits: 0 },
    outputSchemas: true,
    hash: (text) => sha256(text),
    judge: { input: acceptAll, output: acceptAll, notices: acceptAll, config: () => undefined },
    secretOwners: new Map(),
  })
}

function toRows(
  document: JsonObject,
  { notImported, notSelected, tools }: ImportedTools,
): readonly OperationRow[] {
  const reasons = new Map(notImported.map(({ operation, reason }) => [operation, reason]))
  const sizes = new Map(tools.map((tool) => [tool.operation, countTokens(tool.definition)]))
  const left = new Set(notSelected)
  const { operations, others } = listOperations(document)
  const ids = countIds(operations.map(({ operationId }) => operationId))
  const rows = operations
    .filter(({ key }) => !left.has(key))
    .map(({ key, method, operationId, path, raw, tags }): OperationRow => {
      const summary = asText(raw['summary']) ?? asText(raw['description'])?.split('\n')[0]
      const tokens = sizes.get(key)
      const isDeprecated = raw['deprecated'] === true
      return {
        tags,
        operation: operationId !== undefined && ids.get(operationId) === 1 ? operationId : key,
        method,
        path,
        tokens,
        state: tokens === undefined ? 'no tool' : isDeprecated ? 'deprecated' : 'ok',
        reason: reasons.get(key),
        summary: summary === undefined ? undefined : readHtml(summary),
      }
    })
  return [...rows, ...others.map(toOtherRow)]
}

function toOtherRow({
  key,
  reason,
}: {
  readonly key: string
  readonly reason: string
}): OperationRow {
  const [method = '', path = ''] = key.split(' ')
  return {
    tags: [],
    operation: key,
    method,
    path,
    tokens: undefined,
    state: 'no tool',
    reason,
    summary: undefined,
  }
}

function countIds(ids: readonly (string | undefined)[]): ReadonlyMap<string | undefined, number> {
  const counts = new Map<string | undefined, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

/** Undefined for a definition that no skill can have. */
function countTokens(definition: JsonObject): number | undefined {
  const skillId = String(definition['id'])
  const planned: PlannedSkill = {
    skillId,
    madeOf: skillId,
    stored: undefined,
    merged: NO_CHANGES,
    kind: 'added',
    definition,
    notes: [],
  }
  const tool = toPlannedTool(planned, GATEWAY_PREFIX)
  return tool === undefined ? undefined : toTokens(tool.bytes)
}
