/**
 * Asks an MCP server something other than a call of a tool, as a call of one of its tools would be
 * sent: with its secrets, hooks, breakers, deadline and checks of targets, but without a hold, an
 * outcome or a record. Bound by ADR 0123 and ADR 0127.
 */
import type { Principal } from '../../access/principal.ts'
import { CALL_TIMEOUT_MS } from '../../call/limits.ts'
import type { UpstreamAnswer, UpstreamFailed, UpstreamRequest } from '../../call/upstream.ts'
import { err, ok, type Refusal, type Result, refuse } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { McpFault, McpLimits, McpServer } from '../../ports/mcp-servers.ts'
import type { Upstream } from '../../ports/outside.ts'
import type { Ports } from '../../ports/ports.ts'
import { findAuthEchoes } from '../../request/auth-pairs.ts'
import { type Mask, makeMask } from '../../response/mask.ts'
import type { Settings } from '../../settings.ts'
import type { CallableRecord } from '../../skills/skill.ts'
import { toExecuteRequest } from '../dry-run/dry-run.ts'
import { explainUnshared } from '../dry-run/report-secrets.ts'
import type { CircuitBreakers } from '../execute/circuit-breakers.ts'
import type { ExecuteNeeds } from '../execute/execute-request.ts'
import { runWithDeadline } from '../execute/run-with-deadline.ts'
import { startLoadingSecrets } from '../execute/secrets-of-call.ts'
import { draftCall, type ReadyCall, readRunnableSkill } from '../execute/validate-call.ts'

export type AskServerNeeds = ExecuteNeeds & Pick<Ports, 'mcpServers'>

export type ServerQuestion<T> = {
  /** A skill that calls the server: its endpoint, credential, headers and limits are used. */
  readonly definition: JsonObject
  readonly principal: Principal
  /** Whose session and credential it is; '' for nobody's. */
  readonly uid: string
  /** May be asked again, with another value of a secret that is being rotated. */
  ask(server: McpServer, limits: Pick<McpLimits, 'signal'>): Promise<Result<T, McpFault>>
  /** Says why in the words of its reader; undefined: as for a call that failed. */
  refuse(fault: McpFault): Refusal | undefined
}

/** `mask` hides the secrets of the request, which a careless server may repeat. */
export type ServerAnswer<T> = { readonly value: T; readonly mask: Mask }

/** Refuses with `upstream_failed`, with why a secret cannot be used, or with what `refuse` says. */
export async function askServer<T>(
  ports: AskServerNeeds,
  settings: Settings,
  upstreams: CircuitBreakers,
  question: ServerQuestion<T>,
): Promise<Result<ServerAnswer<T>>> {
  const record = toRecord(ports, question.definition)
  const skill = readRunnableSkill(settings, record)
  if (!skill.ok) return skill
  const { principal, uid } = question
  const order = { record, uid, arguments: {}, send: true }
  const request = toExecuteRequest(order)
  const valid = await draftCall(ports, settings, { record, skill: skill.value }, request)
  if (!valid.ok) return valid
  const startedAtMs = ports.clock.nowMs()
  const secrets = startLoadingSecrets(ports, skill.value, principal)
  const loaded = uid === '' ? await secrets : undefined
  if (loaded?.ok === false && loaded.error.missing !== undefined) {
    const { detail, remedy } = explainUnshared(record, loaded.error.missing)
    return refuse('secret_missing', detail, { remedy })
  }
  const call = {
    ...valid.value,
    callId: `ask-${ports.ids.token(16)}`,
    principal,
    secrets,
    startedAtMs,
    deadlineMs: startedAtMs + CALL_TIMEOUT_MS,
  }
  const found: Found<T> = {}
  const asking = { ...ports, upstream: askInstead(ports, question, found) }
  const { received, result } = await runWithDeadline(asking, upstreams, call, request)
  if (found.value !== undefined && received !== undefined)
    return ok({ value: found.value.of, mask: received.mask })
  if (found.refusal !== undefined) {
    const mask = received?.mask ?? (await openMask(call))
    return err({ ...found.refusal, detail: mask(found.refusal.detail) })
  }
  if (result.ok || 'inputRequests' in result.error)
    return refuse('upstream_failed', 'The server gave no answer that can be used.')
  return err(result.error)
}

/** For a fault without an answer. The secrets have been loaded: the server was asked with them. */
async function openMask({ secrets, skill }: Pick<ReadyCall, 'secrets' | 'skill'>): Promise<Mask> {
  const loaded = await secrets
  if (loaded?.ok !== true) return makeMask([])
  const { values } = loaded.value
  return makeMask([...values, ...findAuthEchoes(skill.auth, values)])
}

function toRecord({ clock }: AskServerNeeds, definition: JsonObject): CallableRecord {
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

type Found<T> = { value?: { readonly of: T }; refusal?: Refusal }

/** Asks where the tool would be called; hooks send their own requests as ever. */
function askInstead<T>(
  { upstream }: AskServerNeeds,
  { ask, refuse: toRefusal, uid }: ServerQuestion<T>,
  found: Found<T>,
): Upstream {
  return {
    ...upstream,
    send: async (request, limits) => {
      if (request.mcp === undefined) return upstream.send(request, limits)
      const answered = await ask(toServer(request, uid), { signal: limits.signal })
      if (!answered.ok) return toAnswer(answered.error, toRefusal(answered.error), found)
      found.value = { of: answered.value }
      return ANSWERED
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
 * A refused credential is judged as in a call; of all else the asker reads the words, masked and cut
 * like those of a call.
 */
function toAnswer<T>(
  fault: McpFault,
  refusal: Refusal | undefined,
  found: Found<T>,
): UpstreamAnswer {
  if (refusal !== undefined) {
    found.refusal = refusal
    // The server answered, so its breaker counts no failure.
    return fault.kind === 'error' ? ANSWERED : { kind: 'unreadable', detail: fault.detail }
  }
  if (fault.kind === 'failed' && fault.answer !== undefined) return fault.answer
  const detail = `The server ${fault.detail}.`
  if (fault.kind !== 'unauthorized') return toFailure(200, { detail, upstreamFault: 'reported' })
  return toFailure(fault.status, { detail, upstreamFault: 'access_denied' })
}

function toFailure(status: number, failure: UpstreamFailed): UpstreamAnswer {
  return { kind: 'answered', response: { ...LISTED, status, failure } }
}
