/**
 * The request of POST imports/openapi:plan, :check and :apply after the check of its schema, and
 * the reader of its OpenAPI document.
 */
import { ok, type Result } from '../../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { withPointerReferences } from '../../openapi/identified-schemas.ts'
import { applyOverlay } from '../../openapi/overlay.ts'
import type { Selection } from '../../openapi/selection.ts'
import type { GivenNames } from '../../openapi/tool-name.ts'
import type { ToolSettings } from '../../openapi/tool-settings.ts'
import { type WorkBudget, withinBudget } from '../../openapi/work-budget.ts'
import type { Ports } from '../../ports/ports.ts'

/** `document` and `overlay` are JSON, or a text of JSON or YAML. */
export type ImportRequest = {
  readonly document: JsonObject | string
  readonly overlay?: JsonObject | string | undefined
  readonly prefix: string
  readonly source?: 'official' | 'market' | undefined
  readonly selection?: Selection | undefined
  readonly defaults?: ToolSettings | undefined
  readonly baseUrl?: string | undefined
  readonly serverVariables?: { readonly [name: string]: string } | undefined
  /** Names of tools, by operation. */
  readonly names?: GivenNames | undefined
  readonly outputSchemas?: boolean | undefined
  /** If true, changes that break agents are applied. */
  readonly allowBreaking?: boolean | undefined
  /** If true, skills that an earlier import disabled for a missing operation are deleted. */
  readonly deleteDisabled?: boolean | undefined
}

type Needs = Pick<Ports, 'openApiDocuments'>

/**
 * Returns the document with its overlay, as OpenAPI 3.1 or 3.2. Refuses a document that cannot be
 * read, or that exceeds the work budget.
 */
export async function readImportDocument(
  ports: Needs,
  { document, overlay }: Pick<ImportRequest, 'document' | 'overlay'>,
  budget: WorkBudget,
): Promise<Result<JsonObject>> {
  const read = await readPart(ports, document)
  if (!read.ok) return read
  const layer = overlay === undefined ? undefined : await readPart(ports, overlay)
  if (layer?.ok === false) return layer
  // An overlay is written for the document before the upgrade, so it is applied first.
  const overlaid = layer === undefined ? read : applyOverlay(read.value, layer.value, budget)
  if (!overlaid.ok) return overlaid
  const upgraded = await ports.openApiDocuments.upgrade(overlaid.value)
  return upgraded.ok
    ? withinBudget(() => ok(withPointerReferences(upgraded.value, budget)))
    : upgraded
}

function readPart({ openApiDocuments }: Needs, part: Json): Promise<Result<JsonObject>> {
  if (isJsonObject(part)) return Promise.resolve(ok(part))
  return openApiDocuments.read(String(part))
}
