/**
 * Lists the tools of an MCP server, in a function that may call upstreams, for one that may not. The
 * list is asked for as a call of the skill in the order would be: with its secrets, hooks, breakers,
 * deadline and checks of targets, but without a hold, an outcome or a record. Bound by ADR 0123.
 */
import { CALL_TIMEOUT_MS } from '../../call/limits.ts'
import type { UpstreamAnswer, UpstreamFailed, UpstreamRequest } from '../../call/upstream.ts'
import { err, ok, type Result, refuse } from '../../errors.ts'
import { isJsonObject, type Json } from '../../json/json.ts'
import type { McpFault, McpListing, McpServer } from '../../ports/mcp-servers.ts'
import type { ListingOrder } from '../../ports/mcp-upstreams.ts'
import type { Upstream } from '../../ports/outside.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { type Mask, maskJson } from '../../response/mask.ts'
import type { CallableRecord } from '../../skills/skill.ts'
import { UPSTREAM_LIST_BYTES_MAX } from '../../skills/upstreams/limits.ts'
import { toExecuteRequest } from '../dry-run/dry-run.ts'
import { NOBODY, writeUnsharedText } from '../dry-run/report-secrets.ts'
import type { CircuitBreakers } from '../execute/circuit-breakers.ts'
import type { ExecuteNeeds } from '../execute/execute-request.ts'
import { runWithDeadline } from '../execute/run-with-deadline.ts'
import { startLoadingSecrets } from '../execute/secrets-of-call.ts'
import { draftCall, readRunnableSkill } from '../execute/validate-call.ts'

export type ListingNeeds = ExecuteNeeds & Pick<Ports, 'mcpServers'>

/** Refuses with `malformed`: the two functions may be of different deployments. */
export function readListingOrder(body: Json): Result<ListingOrder> {
  const { definition, uid } = isJsonObject(body) ? body : {}
  const isOfUser = uid === undefined || typeof uid === 'string'
  if (!isJsonObject(definition) || !isOfUser)
    return refuse('malformed', 'body: must be {"definition", "uid"?}.')
  return ok({ definition, uid })
}

/** Refuses with `upstream_failed`, or with why a secret cannot be used. */
export async function answerListing(
  ports: ListingNeeds,
  settings: Settings,
  upstreams: CircuitBreakers,
  { definition, uid }: ListingOrder,
): Promise<Result<McpListing>> {
  const record = toRecord(ports, definition)
  const skill = readRunnableSkill(settings, record)
  if (!skill.ok) return skill
  const order = { record, uid, arguments: {}, send: true }
  const request = toExecuteRequest(order)
  const valid = await draftCall(ports, settings, { record, skill: skill.value }, request)
  if (!valid.ok) return valid
  const startedAtMs = ports.clock.nowMs()
  const principal = { uid: uid ?? NOBODY, keyHash: '', sealingKey: '', username: '' }
  const secrets = startLoadingSecrets(ports, skill.value, principal)
  const loaded = uid === undefined ? await secrets : undefined
  if (loaded?.ok === false && loaded.error.missing !== undefined) {
    return refuse('secret_missing', writeUnsharedText(record, loaded.error.missing))
  }
  const call = {
    ...valid.value,
    callId: `list-${ports.ids.token(16)}`,
    principal,
    secrets,
    startedAtMs,
    deadlineMs: startedAtMs + CALL_TIMEOUT_MS,
  }
  const found: Found = {}
  const listing = { ...ports, upstream: listInstead(ports, uid ?? '', found) }
  const { received, result } = await runWithDeadline(listing, upstreams, call, request)
  if (found.listing !== undefined && received !== undefined)
    return ok(maskListing(found.listing, received.mask))
  if (result.ok || 'inputRequests' in result.error)
    return refuse('upstream_failed', 'The server gave no list of tools.')
  return err(result.error)
}

type Found = { listing?: McpListing }

/** A server may repeat a credential in any text, and all users would read it in its tools. */
function maskListing(listing: McpListing, mask: Mask): McpListing {
  const { entries, instructions, serverInfo } = listing
  return {
    ...listing,
    entries: entries.flatMap((entry) => {
      const masked = maskJson(entry, mask)
      return isJsonObject(masked) ? [masked] : []
    }),
    ...(instructions === undefined ? {} : { instructions: mask(instructions) }),
    ...(serverInfo === undefined
      ? {}
      : { serverInfo: { name: mask(serverInfo.name), version: mask(serverInfo.version) } }),
  }
}

function toRecord({ clock }: ListingNeeds, definition: ListingOrder['definition']): CallableRecord {
  const { id, source } = definition
  const nowMs = clock.nowMs()
  const skillId = typeof id === 'string' ? id : ''
  return {
    skillId,
    source: source === 'market' ? 'market' : 'official',
    uid: undefined,
    toolName: skillId,
    definition,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    version: 0,
  }
}

/** Asks for the list where the tool would be called; hooks send their own requests as ever. */
function listInstead({ mcpServers, upstream }: ListingNeeds, uid: string, found: Found): Upstream {
  return {
    ...upstream,
    send: async (request, limits) => {
      if (request.mcp === undefined) return upstream.send(request, limits)
      const bounds = { signal: limits.signal, bytesMax: UPSTREAM_LIST_BYTES_MAX }
      const listed = await mcpServers.list(toServer(request, uid), 'tools', bounds)
      if (listed.ok) {
        found.listing = listed.value
        return ANSWERED
      }
      return toAnswer(listed.error)
    },
  }
}

function toServer({ headers, sensitive, signing, url }: UpstreamRequest, uid: string): McpServer {
  return {
    url,
    headers,
    sensitiveHeaders: sensitive?.headers ?? [],
    uid,
    ...(signing === undefined ? {} : { signing }),
  }
}

const LISTED = {
  status: 200,
  mediaType: 'application/json',
  charset: 'utf-8',
  body: new TextEncoder().encode('{"content":[]}'),
} as const
const ANSWERED: UpstreamAnswer = { kind: 'answered', response: LISTED }

/**
 * A refused credential is judged as in a call; of all else the administrator reads the words, masked
 * and cut like those of a call.
 */
function toAnswer(fault: McpFault): UpstreamAnswer {
  if (fault.kind === 'failed' && fault.answer !== undefined) return fault.answer
  const detail = `The server ${fault.detail}.`
  if (fault.kind !== 'unauthorized') return toFailure(200, { detail, upstreamFault: 'reported' })
  return toFailure(fault.status, { detail, upstreamFault: 'access_denied' })
}

function toFailure(status: number, failure: UpstreamFailed): UpstreamAnswer {
  return { kind: 'answered', response: { ...LISTED, status, failure } }
}
