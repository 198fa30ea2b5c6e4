/**
 * `_meta.ui` of Apps (SEP-1865): which page shows a tool's result, and what that page may load. Only
 * members of the specification are taken over. `domain` is left out: it belongs to the address of
 * the server, and hosts show nothing if it is not that of the server they are connected to.
 */
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { isUiUri, toUpstreamUri } from '../../json/upstream-uris.ts'
import type { ToolUi } from '../skill.ts'

/** Origins of one list of a policy, and permissions. */
const ORIGINS_MAX = 50
/** UTF-16 units of an origin. */
const ORIGIN_CHARS_MAX = 256

const VISIBILITIES = ['model', 'app'] as const

/** Returns the page of a tool's entry; undefined without a usable one. */
export function readToolUi(meta: Json | undefined): ToolUi | undefined {
  if (!isJsonObject(meta)) return undefined
  const { ui } = meta
  const told = isJsonObject(ui) ? ui : {}
  // The flat key is deprecated, and servers still send it.
  const uri = told['resourceUri'] ?? meta['ui/resourceUri']
  if (typeof uri !== 'string' || !isUiUri(uri)) return undefined
  const visibility = readVisibility(told['visibility'])
  return { resourceUri: uri, ...(visibility === undefined ? {} : { visibility }) }
}

function readVisibility(value: Json | undefined): ToolUi['visibility'] {
  if (!Array.isArray(value)) return undefined
  const seen: readonly Json[] = value
  const known = VISIBILITIES.filter((one) => seen.includes(one))
  return known.length === 0 ? undefined : known
}

/** Returns the page with its URI here; undefined if that is too long. */
export function toToolUi(id: string, { resourceUri, visibility }: ToolUi): ToolUi | undefined {
  const uri = toUpstreamUri(id, resourceUri)
  if (uri === undefined) return undefined
  return { resourceUri: uri, ...(visibility === undefined ? {} : { visibility }) }
}

const CSP_LISTS = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'] as const
const PERMISSIONS = ['camera', 'microphone', 'geolocation', 'clipboardWrite'] as const

/** Returns the `_meta` of a page, in a list or a content; undefined without any member. */
export function readPageMeta(meta: Json | undefined): JsonObject | undefined {
  const ui = isJsonObject(meta) ? meta['ui'] : undefined
  if (!isJsonObject(ui)) return undefined
  const csp = readCsp(ui['csp'])
  const permissions = readPermissions(ui['permissions'])
  const { prefersBorder } = ui
  const shown = {
    ...(csp === undefined ? {} : { csp }),
    ...(permissions === undefined ? {} : { permissions }),
    ...(typeof prefersBorder === 'boolean' ? { prefersBorder } : {}),
  }
  return Object.keys(shown).length === 0 ? undefined : { ui: shown }
}

function readCsp(value: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined
  const lists = CSP_LISTS.flatMap((name): [string, Json][] => {
    const origins = value[name]
    return Array.isArray(origins) ? [[name, origins.filter(isOrigin).slice(0, ORIGINS_MAX)]] : []
  })
  return Object.fromEntries(lists)
}

function isOrigin(value: Json): value is string {
  return (
    typeof value === 'string' && value.length <= ORIGIN_CHARS_MAX && /^[\x21-\x7e]+$/.test(value)
  )
}

function readPermissions(value: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined
  const asked = PERMISSIONS.filter((name) => isJsonObject(value[name]))
  return Object.fromEntries(asked.map((name) => [name, {}]))
}
