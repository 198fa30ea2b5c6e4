/**
 * Finds out how to speak to a server. First `server/discover` (2026-07-28). A server that does not
 * know it is asked to `initialize` (2025-11-25 or what it chooses of the two revisions before). A
 * server that is down or refuses the credential is never taken for a legacy one.
 */
import { err, ok, type Result } from '../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import type { McpFault } from '../../core/ports/mcp-servers.ts'
import { toFault } from './faults.ts'
import { LEGACY_VERSION, LEGACY_VERSIONS, MODERN_VERSION, type Peer } from './peer.ts'
import { type PostTerms, postOneWay, postRpc, type RpcOutcome } from './post-rpc.ts'
import { type ClientInfo, writeInitialize, writeLegacy, writeRequest } from './write-message.ts'

export type ProbeTerms = PostTerms & {
  readonly client: ClientInfo
  /** What a legacy server may ask in the whole session. */
  readonly capabilities: JsonObject
}

export async function probe(terms: ProbeTerms): Promise<Result<Peer, McpFault>> {
  const { client } = terms
  const id = 'discover'
  const call = { method: 'server/discover', params: {}, capabilities: {} }
  const message = writeRequest({ version: MODERN_VERSION }, call, { client, id })
  const outcome = await postRpc({ ...terms, isSafe: true }, message, id)
  if (outcome.kind === 'result' && supportsModern(outcome.result)) {
    return ok({ version: MODERN_VERSION, ...describeServer(outcome.result) })
  }
  return endsProbe(outcome) ? err(toFault(outcome)) : initialize(terms)
}

function supportsModern(result: Json): boolean {
  const versions = isJsonObject(result) ? result['supportedVersions'] : undefined
  return Array.isArray(versions) && versions.includes(MODERN_VERSION)
}

/** True if the answer says nothing about revisions. */
function endsProbe(outcome: RpcOutcome): outcome is Exclude<RpcOutcome, { kind: 'result' }> {
  if (outcome.kind === 'result') return false
  if (outcome.kind === 'lost') return true
  const { status } = outcome.answer.response
  return status === 401 || status === 403 || status === 429 || status >= 500
}

async function initialize(terms: ProbeTerms): Promise<Result<Peer, McpFault>> {
  const { capabilities, client } = terms
  const id = 'initialize'
  const message = writeInitialize(LEGACY_VERSION, capabilities, { client, id })
  const outcome = await postRpc({ ...terms, isSafe: true }, message, id)
  if (outcome.kind !== 'result') return err(explainRefusal(outcome))
  const { result, sessionId } = outcome
  const version = isJsonObject(result) ? result['protocolVersion'] : undefined
  if (typeof version !== 'string' || !LEGACY_VERSIONS.has(version)) {
    return err({ kind: 'failed', detail: explainVersion(version) })
  }
  const session = sessionId === undefined || !SESSION_ID.test(sessionId) ? {} : { sessionId }
  const peer = { version, ...session, ...describeServer(result) }
  await postNotice(terms, peer, { method: 'notifications/initialized' })
  return ok(peer)
}

/** Visible ASCII (MCP 2025-11-25, transports), of a length that a header can have. */
const SESSION_ID = /^[\x21-\x7e]{1,1024}$/

/** HTTP+SSE answers a POST to its stream's URL with one of these. */
const NOT_STREAMABLE: ReadonlySet<number> = new Set([400, 404, 405])

function explainRefusal(outcome: Exclude<RpcOutcome, { kind: 'result' }>): McpFault {
  const isElsewhere =
    outcome.kind === 'status' && NOT_STREAMABLE.has(outcome.answer.response.status)
  if (!isElsewhere) return toFault(outcome)
  const { status } = outcome.answer.response
  const detail = `answered ${status} to initialize: ${STREAMABLE_ONLY}`
  return { kind: 'failed', detail }
}

const STREAMABLE_ONLY =
  'its URL must be a Streamable HTTP endpoint of MCP 2025-03-26 or later; HTTP+SSE (2024-11-05) is not spoken'

function explainVersion(version: Json | undefined): string {
  return `chose ${nameVersion(version)} in its answer to initialize: ${STREAMABLE_ONLY}`
}

/** The longest text that may be a version. */
const VERSION_CHARS_MAX = 32

/** A longer text is not quoted: a part of it could be half of a secret, which no mask would find. */
function nameVersion(version: Json | undefined): string {
  if (typeof version !== 'string') return 'no version'
  return version.length > VERSION_CHARS_MAX
    ? `a version of ${version.length} characters`
    : JSON.stringify(version)
}

/** Sends a notification or an answer to a legacy server. Its outcome changes nothing. */
export async function postNotice(
  { limits, server, upstream }: PostTerms,
  peer: Peer,
  notice: Parameters<typeof writeLegacy>[1],
): Promise<void> {
  await postOneWay({ limits, server, upstream }, writeLegacy(peer, notice))
}

/** Where a server's name stands: `_meta` of a modern result, a member of a legacy one. */
function describeServer(result: Json): Pick<Peer, 'instructions' | 'serverInfo'> {
  if (!isJsonObject(result)) return {}
  const { _meta, instructions, serverInfo } = result
  const modern = isJsonObject(_meta) ? _meta['io.modelcontextprotocol/serverInfo'] : undefined
  const info = modern ?? serverInfo
  const { name, version } = isJsonObject(info) ? info : {}
  return {
    ...(isText(name, NAME_CHARS_MAX) && isText(version, NAME_CHARS_MAX)
      ? { serverInfo: { name, version } }
      : {}),
    ...(isText(instructions, TEXT_CHARS_MAX) ? { instructions } : {}),
  }
}

/** Characters of a server's name and of its version. */
export const NAME_CHARS_MAX = 256
/** Characters of a server's instructions for models. */
export const TEXT_CHARS_MAX = 8_192

/** A longer text is left out: a part of it could be half of a secret, which no mask would find. */
function isText(value: Json | undefined, charsMax: number): value is string {
  return typeof value === 'string' && value.length <= charsMax && value.isWellFormed()
}
