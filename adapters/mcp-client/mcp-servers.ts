/**
 * What MCP servers list and hold, read within limits. Entries are handed on as the server sent
 * them; whoever keeps them judges them.
 */
import { err, ok, type Result } from '../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { parseText } from '../../core/json/parse-json.ts'
import type {
  McpFault,
  McpLimits,
  McpListing,
  McpListKind,
  McpServer,
  McpServers,
} from '../../core/ports/mcp-servers.ts'
import { converse, type McpClient, post } from './converse.ts'
import { toFault } from './faults.ts'
import type { Peer } from './peer.ts'
import type { RpcOutcome } from './post-rpc.ts'

/** Pages of one list. A page has at least a few entries at every server that means well. */
export const LIST_PAGES_MAX = 20
/** Entries of one list: ten times what the largest servers offer. */
export const LIST_ENTRIES_MAX = 1_000
/** Bytes of all pages of one list, with everything beside the entries. */
export const LIST_BYTES_MAX = 5_242_880

/** UTF-16 units of a cursor, which goes back to the server. */
export const CURSOR_CHARS_MAX = 4_096

const METHODS: { readonly [K in McpListKind]: string } = {
  tools: 'tools/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
  prompts: 'prompts/list',
}

/** Some servers list tools that ask only to clients that can be asked, as some agents can. */
const LIST_CAPABILITIES = { elicitation: { form: {}, url: {} } }

const METHOD_NOT_FOUND = -32601

export function makeMcpServers(mcp: McpClient): McpServers {
  return {
    list: (server, kind, limits) => listAll(mcp, server, kind, limits),
    ask: async (server, { method, params }, limits) => {
      const named = method === 'prompts/get' ? 'name' : 'uri'
      const call = { method, params, named, capabilities: {} } as const
      const asked = await converse(mcp, toTerms(server, limits, limits.bytesMax), call)
      if (!asked.ok) return asked
      return readResult(asked.value.outcome)
    },
  }
}

type Listed = {
  readonly mcp: McpClient
  readonly server: McpServer
  readonly kind: McpListKind
  readonly limits: McpLimits
  readonly entries: JsonObject[]
  readonly cursors: Set<string>
  bytes: number
}

async function listAll(
  mcp: McpClient,
  server: McpServer,
  kind: McpListKind,
  limits: McpLimits,
): Promise<Result<McpListing, McpFault>> {
  const listed: Listed = { mcp, server, kind, limits, entries: [], cursors: new Set(), bytes: 0 }
  let peer: Peer | undefined
  let cursor: string | undefined
  for (let pages = 0; pages < LIST_PAGES_MAX; pages += 1) {
    const page = await readPage(listed, peer, cursor)
    if (!page.ok) return page
    peer = page.value.peer
    const next = addPage(listed, page.value.result)
    if (!next.ok) return next
    if (next.value === undefined) return ok(toListing(peer, listed.entries))
    cursor = next.value
  }
  return fail(`has more than ${LIST_PAGES_MAX} pages of ${kind}`)
}

/** Later pages are asked of the same session as the first one. */
async function readPage(
  listed: Listed,
  peer: Peer | undefined,
  cursor: string | undefined,
): Promise<Result<{ readonly peer: Peer; readonly result: JsonObject }, McpFault>> {
  const { bytes, kind, limits, mcp, server } = listed
  const bytesMax = Math.min(limits.bytesMax, LIST_BYTES_MAX)
  const terms = toTerms(server, limits, bytesMax - bytes)
  const params = cursor === undefined ? {} : { cursor }
  const capabilities = LIST_CAPABILITIES
  const call = { method: METHODS[kind], params, capabilities, legacyCapabilities: capabilities }
  const page =
    peer === undefined
      ? await converse(mcp, terms, call)
      : ok({ peer, outcome: await post(mcp, terms, peer, call) })
  if (!page.ok) return page
  const { outcome } = page.value
  if (cursor === undefined && kind !== 'tools' && isUnknownMethod(outcome)) {
    return ok({ peer: page.value.peer, result: { [kind]: [] } })
  }
  if (outcome.kind === 'lost' && outcome.answer.kind === 'too_large') {
    return fail(`lists more than ${bytesMax} bytes of ${kind}`)
  }
  if (outcome.kind === 'result') listed.bytes += outcome.bytes
  const result = readResult(outcome)
  return result.ok ? ok({ peer: page.value.peer, result: result.value }) : result
}

function toTerms(server: McpServer, { signal }: McpLimits, responseBytesMax: number) {
  const limits = { signal, uid: server.uid, responseBytesMax }
  return { server, limits, isSafe: true }
}

/** A server without resources or prompts need not know their methods. */
function isUnknownMethod(outcome: RpcOutcome): boolean {
  return outcome.kind === 'error' && outcome.error.code === METHOD_NOT_FOUND
}

function readResult(outcome: RpcOutcome): Result<JsonObject, McpFault> {
  if (outcome.kind !== 'result') return err(toFault(outcome))
  if (isJsonObject(outcome.result)) return ok(outcome.result)
  return fail('answered a result that is not an object')
}

/** Adds the entries of a page, and returns the cursor of the next one. */
function addPage(listed: Listed, result: JsonObject): Result<string | undefined, McpFault> {
  const { kind } = listed
  const { nextCursor } = result
  const items = result[kind]
  if (!Array.isArray(items)) return fail(`answered ${METHODS[kind]} without an array "${kind}"`)
  if (listed.entries.length + items.length > LIST_ENTRIES_MAX) {
    return fail(`lists more than ${LIST_ENTRIES_MAX} ${kind}`)
  }
  for (const item of items) {
    const text = JSON.stringify(item)
    if (isSound(item, text)) listed.entries.push(item)
  }
  if (nextCursor === undefined || nextCursor === null) return ok(undefined)
  if (typeof nextCursor !== 'string') return fail('answered a nextCursor that is not a string')
  if (nextCursor.length > CURSOR_CHARS_MAX)
    return fail(`answered a nextCursor of over ${CURSOR_CHARS_MAX} characters`)
  if (listed.cursors.has(nextCursor)) return fail('answered the same nextCursor twice')
  listed.cursors.add(nextCursor)
  return ok(nextCursor)
}

/** Entries with names or characters that are unsafe to pass on are left out, each alone. */
function isSound(item: Json, text: string): item is JsonObject {
  return isJsonObject(item) && parseText(text, { repeatedNames: 'last' }).ok
}

function toListing({ instructions, serverInfo, version }: Peer, entries: JsonObject[]): McpListing {
  return {
    entries,
    version,
    ...(serverInfo === undefined ? {} : { serverInfo }),
    ...(instructions === undefined ? {} : { instructions }),
  }
}

function fail(detail: string): Result<never, McpFault> {
  return err({ kind: 'failed', detail })
}
