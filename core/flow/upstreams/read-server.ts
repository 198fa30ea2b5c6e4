/**
 * Reads a resource or a prompt of an upstream for a user, with the user's secrets. What the server
 * answers is judged by whoever shows it; here, secrets are masked. Bound by ADR 0127.
 */
import { ok, type Refusal, type Result, refuse } from '../../errors.ts'
import { isJsonObject, type JsonObject } from '../../json/json.ts'
import { parseText } from '../../json/parse-json.ts'
import type { McpFault } from '../../ports/mcp-servers.ts'
import type { ReadingOrder } from '../../ports/mcp-upstreams.ts'
import { holdsSecret } from '../../response/answer-data.ts'
import { type Mask, maskJson } from '../../response/mask.ts'
import type { Settings } from '../../settings.ts'
import { UPSTREAM_READ_BYTES_MAX } from '../../skills/upstreams/limits.ts'
import { makeProbe } from '../../skills/upstreams/tool-definition.ts'
import { toNameStart } from '../../skills/upstreams/tool-names.ts'
import type { CircuitBreakers } from '../execute/circuit-breakers.ts'
import { type AskServerNeeds, askServer } from './ask-server.ts'

/** Refuses as the port McpReadings says. */
export async function readFromServer(
  ports: AskServerNeeds,
  settings: Settings,
  upstreams: CircuitBreakers,
  { method, params, principal, upstream }: ReadingOrder,
): Promise<Result<JsonObject>> {
  const start = toNameStart(settings.prefix, upstream.settings.prefix)
  const answered = await askServer(ports, settings, upstreams, {
    definition: makeProbe(upstream, `${start}read`),
    principal,
    uid: principal.uid,
    ask: (server, { signal }) =>
      ports.mcpServers.ask(
        server,
        { method, params },
        { signal, bytesMax: UPSTREAM_READ_BYTES_MAX },
      ),
    refuse: (fault) => toRefusal(method, fault),
  })
  return answered.ok ? conceal(answered.value.value, answered.value.mask) : answered
}

const NOT_FOUND = -32_002
const INVALID_PARAMS = -32_602

function toRefusal(method: ReadingOrder['method'], fault: McpFault): Refusal | undefined {
  if (fault.kind !== 'error') return undefined
  const { code, detail } = fault
  const isRead = method === 'resources/read'
  if (isRead && (code === NOT_FOUND || code === INVALID_PARAMS))
    return { code: 'not_found', detail: `The server ${detail}.` }
  if (code === INVALID_PARAMS) return { code: 'invalid_arguments', detail: `The server ${detail}.` }
  return undefined
}

function conceal(result: JsonObject, mask: Mask): Result<JsonObject> {
  const { resultType = 'complete' } = result
  if (resultType !== 'complete')
    return refuse('upstream_failed', 'The server asks a question first, which no read passes on.')
  const sound = parseText(JSON.stringify(result), { repeatedNames: 'last' })
  if (!sound.ok)
    return refuse('upstream_failed', 'The server’s answer holds text that is unsafe to pass on.')
  const masked = maskJson(result, mask)
  if (!isJsonObject(masked) || holdsSecretData(result, mask))
    return refuse('upstream_failed', 'The server’s answer holds a secret of the request.')
  return ok(masked)
}

const DATA_MEMBERS = ['blob', 'data'] as const

/** Looks into base64 of contents and blocks, at any depth. */
function holdsSecretData(value: JsonObject, mask: Mask): boolean {
  if (DATA_MEMBERS.some((name) => isSecretData(value[name], mask))) return true
  return Object.values(value).some((inner) => {
    const items = Array.isArray(inner) ? inner : [inner]
    return items.some((item) => isJsonObject(item) && holdsSecretData(item, mask))
  })
}

function isSecretData(value: JsonObject[string] | undefined, mask: Mask): boolean {
  const bytes = typeof value === 'string' ? decodeBase64(value) : undefined
  return bytes !== undefined && holdsSecret(bytes, mask)
}

/** Undefined for text that is no base64: whoever shows it refuses it. */
function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    // The one error of atob says what the check of the content says again.
    return undefined
  }
}
