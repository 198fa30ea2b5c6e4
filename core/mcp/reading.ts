/**
 * What agents read beside tools: resources, prompts, and guides (the extension
 * io.modelcontextprotocol/skills). One table of methods, which each revision adds to its own. Bound
 * by the schemas of 2024-11-05 to 2026-07-28 (server/resources, server/prompts), ext-skills and ADR
 * 0126.
 */
import { ok, type Result } from '../errors.ts'
import { writeCursorRule } from '../json/cursor.ts'
import { isJsonObject, type JsonObject } from '../json/json.ts'
import type { RpcError } from '../jsonrpc/message.ts'
import type { Asked, Intent } from './intent.ts'
import { CURSOR_LENGTH_MAX, TOOL_NAME_LENGTH_MAX } from './read-params.ts'
import type { ReadRequest } from './revision.ts'
import { refuseParams } from './rpc-errors.ts'

/** The extension that serves guides, as client and server declare it. */
const GUIDES_EXTENSION = 'io.modelcontextprotocol/skills'

/** Apps (SEP-1865): tools of upstreams may name pages, which are resources. */
const APPS_EXTENSION = 'io.modelcontextprotocol/ui'

/** The extensions of resources with their settings: folders of a guide can be read. */
export const READING_EXTENSIONS: JsonObject = {
  [GUIDES_EXTENSION]: { directoryRead: true },
  [APPS_EXTENSION]: {},
}

/** UTF-16 units of a URI that is asked for. Those that the gateway lists are far shorter. */
export const RESOURCE_URI_LENGTH_MAX = 2_048

/** Served in every revision. */
export const READING_REQUESTS: readonly (readonly [string, ReadRequest])[] = [
  ['resources/list', readPage('resources')],
  ['resources/templates/list', readPage('templates')],
  ['resources/read', readOfUri('resource')],
  ['prompts/list', readPage('prompts')],
  ['prompts/get', readPrompt],
  ['skills/list', readPage('guides')],
  ['skills/get', readOfUri('guide')],
  ['resources/directory/read', readOfUri('directory')],
]

function readPage(kind: 'resources' | 'templates' | 'prompts' | 'guides'): ReadRequest {
  return (params) => {
    const cursor = readCursor(params)
    return cursor.ok ? reading({ kind, cursor: cursor.value }) : cursor
  }
}

function readOfUri(kind: 'resource' | 'guide' | 'directory'): ReadRequest {
  return (params) => {
    const { uri } = params
    if (typeof uri !== 'string' || uri === '') {
      return refuseParams('params.uri: must be the URI of a resource from resources/list')
    }
    if (uri.length > RESOURCE_URI_LENGTH_MAX) {
      return refuseParams(
        `params.uri: is over ${RESOURCE_URI_LENGTH_MAX} characters; see resources/list`,
      )
    }
    const cursor = readCursor(params)
    return cursor.ok ? reading({ kind, uri, cursor: cursor.value }) : cursor
  }
}

function readPrompt(params: JsonObject): Result<Intent, RpcError> {
  const { arguments: given, name } = params
  if (typeof name !== 'string' || name === '' || name.length > TOOL_NAME_LENGTH_MAX) {
    return refuseParams('params.name: must be the name of a prompt from prompts/list')
  }
  const args = given ?? {}
  if (!isJsonObject(args) || Object.values(args).some((value) => typeof value !== 'string')) {
    return refuseParams('params.arguments: must be an object with texts by name')
  }
  return reading({ kind: 'prompt', name, arguments: args })
}

function readCursor(params: JsonObject): Result<string | undefined, RpcError> {
  const cursor = params['cursor'] ?? undefined
  if (cursor === undefined) return ok(undefined)
  if (typeof cursor === 'string' && cursor.length <= CURSOR_LENGTH_MAX) return ok(cursor)
  return refuseParams(`params.cursor: ${writeCursorRule()}`)
}

function reading(asked: Asked): Result<Intent, RpcError> {
  return ok({ kind: 'read', asked })
}

/** Members of entries that a revision lacks, which are left out. */
const ENTRY_LISTS = ['resources', 'resourceTemplates', 'prompts'] as const

/** Returns the members of a result without those members of its entries. */
export function withoutEntryMembers(members: JsonObject, absent: readonly string[]): JsonObject {
  const kept = { ...members }
  for (const list of ENTRY_LISTS) {
    const entries = members[list]
    if (!Array.isArray(entries)) continue
    kept[list] = entries.map((entry) =>
      isJsonObject(entry)
        ? Object.fromEntries(Object.entries(entry).filter(([name]) => !absent.includes(name)))
        : entry,
    )
  }
  return kept
}
