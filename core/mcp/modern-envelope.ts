/**
 * The envelope in `params._meta` with a modern request's version and its client's capabilities. A
 * body with the version's key is modern, however malformed; a body without it never is. Bound by
 * MCP 2026-07-28, basic, _meta, and ADR 0025.
 */
import { err, ok, type Result } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'

export const VERSION_META = 'io.modelcontextprotocol/protocolVersion'
export const CAPABILITIES_META = 'io.modelcontextprotocol/clientCapabilities'
export const LOG_LEVEL_META = 'io.modelcontextprotocol/logLevel'
const CLIENT_INFO_META = 'io.modelcontextprotocol/clientInfo'

/** UTF-16 units of a version; all that exist have 10. */
export const VERSION_LENGTH_MAX = 64

/** `_meta` if it has the version's key; undefined when the message does not claim to be modern. */
export function claimOf(params: Json | undefined): JsonObject | undefined {
  const meta = isJsonObject(params) ? params['_meta'] : undefined
  return isJsonObject(meta) && Object.hasOwn(meta, VERSION_META) ? meta : undefined
}

/** The envelope's version, or the text of a -32602 error. */
export function readEnvelope(meta: JsonObject): Result<string, string> {
  const version = meta[VERSION_META]
  if (typeof version !== 'string' || version === '' || version.length > VERSION_LENGTH_MAX) {
    return fault(VERSION_META, `must be a version of at most ${VERSION_LENGTH_MAX} characters`)
  }
  if (!isJsonObject(meta[CAPABILITIES_META])) {
    return fault(CAPABILITIES_META, 'must be an object; {} where there are none')
  }
  const client = meta[CLIENT_INFO_META]
  if (client !== undefined && clientText(client) === undefined) {
    return fault(CLIENT_INFO_META, 'must be an object with the strings name and version')
  }
  return ok(version)
}

/** `name/version` of the client behind a checked envelope; undefined when it does not say. */
export function clientOf(meta: JsonObject): string | undefined {
  return clientText(meta[CLIENT_INFO_META])
}

/** `name/version` of a clientInfo, of any revision; undefined for anything else. */
export function clientText(info: Json | undefined): string | undefined {
  if (!isJsonObject(info)) return undefined
  const { name, version } = info
  if (typeof name !== 'string' || typeof version !== 'string') return undefined
  return `${name}/${version}`
}

function fault(key: string, problem: string): Result<never, string> {
  return err(`params._meta["${key}"]: ${problem}`)
}
