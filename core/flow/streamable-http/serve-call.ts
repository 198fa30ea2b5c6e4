/**
 * Serves tools/call over Streamable HTTP. It makes a call id, because request ids repeat across the
 * clients of a key. It lets the client cancel the call and writes the outcome in the format of the
 * client's MCP revision. Refuses headers for the upstream that cannot be forwarded. Bound by MCP
 * 2026-07-28, server/tools, and ADR 0026.
 */
import { makeCallId } from '../../call/call-id.ts'
import type { ExecuteInput } from '../../call/execute.ts'
import { CALL_TIMEOUT_MS } from '../../call/limits.ts'
import { checkParamHeaders } from '../../call/mirrored-params.ts'
import { SERVER_STOPS } from '../../call/no-answer.ts'
import { Fault } from '../../errors.ts'
import { writeErrorReply, writeResultReply } from '../../jsonrpc/write-message.ts'
import type { Work } from '../../mcp/classified.ts'
import type { CallToolIntent } from '../../mcp/intent.ts'
import { toHeaderMismatchError } from '../../mcp/rpc-errors.ts'
import { makeServerInfo } from '../../mcp/server-info.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { authenticate } from '../access/authenticate.ts'
import { type CallToolNeeds, callTool } from '../tools/call-tool.ts'
import { logFailedRequest } from '../tools/dispatch-intent.ts'
import { type ToolOutcome, toModelResult } from '../tools/tool-outcome.ts'
import type { Asker, AskNeeds } from './ask-client.ts'
import { findCallLimitMs } from './call-limit.ts'
import { startCallProgress, withProgress } from './call-progress.ts'
import type { HttpReply, PostedRequest } from './http-post.ts'
import { callWithInput } from './input-rounds.ts'
import type { McpContext } from './mcp-caches.ts'
import { addRunningCall, type RunningCalls } from './running-calls.ts'
import { startTaskCall, type TaskCall, type TaskCallNeeds } from './task-call.ts'

export type ServeCallNeeds = CallToolNeeds & AskNeeds & TaskCallNeeds & Pick<Ports, 'ids' | 'keys'>

type CallContext = McpContext<ServeCallNeeds>

export type CallWork = Work & { readonly intent: CallToolIntent }

/** Random bytes of a call id: enough that no caller can guess and void another caller's call. */
const CALL_ID_BYTES = 16

const NO_HEADERS: ReadonlyMap<string, string> = new Map()

/** Serves one call. Throws `Fault` if the store does not answer. */
export async function serveCall(
  context: CallContext,
  work: CallWork,
  posted: PostedRequest,
): Promise<HttpReply> {
  const { paramHeaders = NO_HEADERS } = work
  // The check is here because the execute function would report such headers as a gateway bug.
  const problem = paramHeaders.size === 0 ? undefined : checkParamHeaders(paramHeaders)
  if (problem !== undefined) {
    return {
      kind: 'reply',
      status: 400,
      text: writeErrorReply(work.id, toHeaderMismatchError(problem)),
    }
  }
  const { cancelled, forget } = openCancel(context.caches.running, work, posted)
  const task = taskFor(context, work, posted)
  try {
    const outcome = runRounds(context, work, posted, { cancelled, task })
    const answered = outcome.then((ended) =>
      task?.isHandedOver() === true
        ? taskReply(context, work, task)
        : toReply(context.settings, work, posted, ended),
    )
    if (task === undefined) return await answered
    return await Promise.race([answered, taskReply(context, work, task)])
  } finally {
    forget?.()
  }
}

/** Undefined if this client takes no task for its answer. */
function taskFor(
  { ports, settings }: CallContext,
  { intent, revision }: CallWork,
  { acceptedAtMs, gone, scope }: PostedRequest,
): TaskCall | undefined {
  if (intent.takesTask !== true) return undefined
  return startTaskCall(ports, settings, { name: intent.name, acceptedAtMs, scope, revision, gone })
}

/** Never settles for a call that does not become a task. */
async function taskReply(
  { ports, settings }: CallContext,
  { id, method, revision: { results } }: CallWork,
  { created }: TaskCall,
): Promise<HttpReply> {
  const view = await created
  if (view === undefined || results.task === undefined) {
    const error = logFailedRequest(
      ports.log,
      method,
      new Fault('store_unavailable', 'task: not stored'),
    )
    return { kind: 'reply', status: 200, text: writeErrorReply(id, error) }
  }
  const result = results.task(view, 'call', makeServerInfo(settings))
  return { kind: 'reply', status: 200, text: writeResultReply(id, result) }
}

type Cancel = {
  /** Undefined if the call cannot be cancelled. */
  readonly cancelled: AbortSignal | undefined
  readonly forget?: () => void
}

/**
 * A modern client cancels a call by closing the connection. If the call has an Idempotency-Key, a
 * closed connection does not cancel it, because the client is expected to repeat the request. A
 * legacy client cancels by posting a notification. A server that stops cancels all calls, because
 * its answer to the client says that they cost nothing.
 */
function openCancel(
  running: RunningCalls,
  { id, intent, revision }: CallWork,
  { authorization, gone }: PostedRequest,
): Cancel {
  const isModern = revision.era === 'modern'
  if (isModern && intent.idempotencyKey === undefined) return { cancelled: gone }
  if (authorization === undefined) return { cancelled: undefined }
  const cancel = new AbortController()
  const onGone = () => {
    if (gone?.reason === SERVER_STOPS) cancel.abort(SERVER_STOPS)
  }
  if (gone?.aborted === true) onGone()
  gone?.addEventListener('abort', onGone)
  const remove = isModern ? () => {} : addRunningCall(running, { authorization, id }, cancel)
  const forget = () => {
    remove()
    gone?.removeEventListener('abort', onGone)
  }
  return { cancelled: cancel.signal, forget }
}

function runRounds(
  { ports, settings, caches }: CallContext,
  work: CallWork,
  posted: PostedRequest,
  { cancelled, task }: Pick<Cancel, 'cancelled'> & { readonly task: TaskCall | undefined },
): Promise<ToolOutcome> {
  const { intent, paramHeaders, revision } = work
  const { authorization, channel, scope } = posted
  const named = { name: intent.name, authorization, lists: caches.lists }
  const notices = startCallProgress(revision, intent, {
    channel,
    limitMs: () => findCallLimitMs(ports, settings, named),
  })
  const callOnce = (startedAtMs: number, input: ExecuteInput | undefined) => {
    const call = {
      name: intent.name,
      arguments: intent.arguments,
      changedNumbers: intent.changedNumbers,
      authorization,
      ownerOf: () => findOwner(ports, authorization),
      callId: makeCallId(startedAtMs, ports.ids.token(CALL_ID_BYTES)),
      deadlineMs: startedAtMs + CALL_TIMEOUT_MS,
      lists: caches.lists,
      scope,
      input,
      declares: intent.capabilities !== undefined,
      paramHeaders: paramHeaders && Object.fromEntries(paramHeaders),
      door: 'mcp' as const,
      client: intent.client ?? posted.client,
      clientCallId: intent.clientCallId,
      idempotencyKey: intent.idempotencyKey,
      cancelled,
      task,
    }
    return withProgress(ports, notices, () => callTool(ports, settings, call))
  }
  return callWithInput(ports, {
    revision,
    asker: toAsker(posted, cancelled),
    cancelled,
    input: toInput(intent),
    first: (input) => callOnce(posted.acceptedAtMs, input),
    // Each further round may take the full time of a call.
    again: (input) => callOnce(ports.clock.nowMs(), input),
  })
}

/** A call stops waiting for its client this long before the process must stop. */
const LAST_WAIT_MS = 20_000

function toAsker(
  { authorization, channel, deadlineMs, gone }: PostedRequest,
  cancelled: AbortSignal | undefined,
): Asker | undefined {
  if (authorization === undefined || channel === undefined) return undefined
  const untilMs = deadlineMs === undefined ? Number.POSITIVE_INFINITY : deadlineMs - LAST_WAIT_MS
  const ends = [gone, cancelled].filter((one) => one !== undefined)
  return { authorization, channel, untilMs, ends }
}

function toInput({ capabilities, input }: CallToolIntent): ExecuteInput | undefined {
  if (capabilities === undefined && input === undefined) return undefined
  return {
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(input === undefined ? {} : { responses: input.responses }),
    ...(input?.state === undefined ? {} : { state: input.state }),
  }
}

async function findOwner(
  ports: ServeCallNeeds,
  authorization: string | undefined,
): Promise<string | undefined> {
  const authentication = await authenticate(ports, authorization)
  return authentication.kind === 'principal' ? authentication.principal.uid : undefined
}

function toReply(
  settings: Settings,
  work: CallWork,
  posted: PostedRequest,
  outcome: ToolOutcome,
): HttpReply {
  const { id, revision } = work
  const server = makeServerInfo(settings)
  const isOpen = posted.channel?.isOpen() === true
  if (outcome.kind === 'cancelled') return { kind: 'nothing' }
  if (outcome.kind === 'denied' && !isOpen) {
    return { kind: 'refused', refusal: outcome.refusal, callId: outcome.callId }
  }
  if (outcome.kind === 'error') {
    return { kind: 'reply', status: outcome.status, text: writeErrorReply(id, outcome.error) }
  }
  if (outcome.kind === 'input' && revision.results.inputRequired !== undefined) {
    const result = revision.results.inputRequired(outcome.input, server)
    return { kind: 'reply', status: 200, text: writeResultReply(id, result) }
  }
  const result = toModelResult(outcome)
  const text = result.ok
    ? writeResultReply(id, revision.results.callTool(result.value, server))
    : writeErrorReply(id, result.error)
  return { kind: 'reply', status: 200, text }
}
