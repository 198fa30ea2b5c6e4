/**
 * tools/call over Streamable HTTP: makes a call id (request ids repeat across the clients of a
 * key), lets the client cancel the call, and writes the outcome in the shape of the revision. Bound
 * by MCP 2026-07-28, server/tools, and ADR 0026.
 */
import { callIdAt } from '../../call/call-id.ts'
import type { ExecuteInput } from '../../call/execute.ts'
import { CALL_TIMEOUT_MS } from '../../call/limits.ts'
import { paramHeadersFault } from '../../call/mirrored-params.ts'
import { SERVER_STOPS } from '../../call/no-answer.ts'
import { Fault } from '../../errors.ts'
import { errorReply, resultReply } from '../../jsonrpc/write-message.ts'
import type { Work } from '../../mcp/classified.ts'
import type { CallToolIntent } from '../../mcp/intent.ts'
import { headerMismatch } from '../../mcp/rpc-errors.ts'
import { serverInfo } from '../../mcp/server-info.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { authenticate } from '../access/authenticate.ts'
import { type CallToolNeeds, callTool } from '../tools/call-tool.ts'
import { failedRequest } from '../tools/dispatch-intent.ts'
import { sayable, type ToolOutcome } from '../tools/tool-outcome.ts'
import type { Asker, AskNeeds } from './ask-client.ts'
import { callLimitMs } from './call-limit.ts'
import { callProgress, withProgress } from './call-progress.ts'
import type { HttpReply, PostedRequest } from './http-post.ts'
import { callWithInput } from './input-rounds.ts'
import type { McpContext } from './mcp-caches.ts'
import { noteRunning, type RunningCalls } from './running-calls.ts'
import { startTaskCall, type TaskCall, type TaskCallNeeds } from './task-call.ts'

export type ServeCallNeeds = CallToolNeeds & AskNeeds & TaskCallNeeds & Pick<Ports, 'ids' | 'keys'>

type CallContext = McpContext<ServeCallNeeds>

export type CallWork = Work & { readonly intent: CallToolIntent }

/** Bytes of a call id's random part: no caller may guess the call of another and void it. */
const CALL_ID_BYTES = 16

const NO_HEADERS: ReadonlyMap<string, string> = new Map()

export async function serveCall(
  context: CallContext,
  work: CallWork,
  posted: PostedRequest,
): Promise<HttpReply> {
  const { paramHeaders = NO_HEADERS } = work
  // Refused here: headers that cannot be forwarded would look like a fault of ours in execute.
  const fault = paramHeaders.size === 0 ? undefined : paramHeadersFault(paramHeaders)
  if (fault !== undefined) {
    return { kind: 'reply', status: 400, text: errorReply(work.id, headerMismatch(fault)) }
  }
  const { cancelled, forget } = cancelOf(context.caches.running, work, posted)
  const task = taskFor(context, work, posted)
  try {
    const outcome = runRounds(context, work, posted, { cancelled, task })
    const answered = outcome.then((ended) => replyOf(context.settings, work, posted, ended))
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
    const error = failedRequest(
      ports.log,
      method,
      new Fault('store_unavailable', 'task: not stored'),
    )
    return { kind: 'reply', status: 200, text: errorReply(id, error) }
  }
  const result = results.task(view, 'call', serverInfo(settings))
  return { kind: 'reply', status: 200, text: resultReply(id, result) }
}

type Cancel = {
  /** Undefined: the call cannot be cancelled. */
  readonly cancelled: AbortSignal | undefined
  readonly forget?: () => void
}

/**
 * A modern client cancels by closing the connection; a legacy client posts a notification. A server that
 * stops cancels both: it has told the client that the call costs nothing.
 */
function cancelOf(
  running: RunningCalls,
  { id, revision }: CallWork,
  { authorization, gone }: PostedRequest,
): Cancel {
  if (revision.era === 'modern') return { cancelled: gone }
  if (authorization === undefined) return { cancelled: undefined }
  const cancel = new AbortController()
  const onGone = () => {
    if (gone?.reason === SERVER_STOPS) cancel.abort(SERVER_STOPS)
  }
  if (gone?.aborted === true) onGone()
  gone?.addEventListener('abort', onGone)
  const remove = noteRunning(running, { authorization, id }, cancel)
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
  const notices = callProgress(revision, intent, {
    channel,
    limitMs: () => callLimitMs(ports, settings, named),
  })
  const callOnce = (startedAtMs: number, input: ExecuteInput | undefined) => {
    const call = {
      name: intent.name,
      arguments: intent.arguments,
      changedNumbers: intent.changedNumbers,
      authorization,
      ownerOf: () => ownerOf(ports, authorization),
      callId: callIdAt(startedAtMs, ports.ids.token(CALL_ID_BYTES)),
      deadlineMs: startedAtMs + CALL_TIMEOUT_MS,
      lists: caches.lists,
      scope,
      input,
      declares: intent.capabilities !== undefined,
      paramHeaders: paramHeaders && Object.fromEntries(paramHeaders),
      door: 'mcp' as const,
      client: intent.client ?? posted.client,
      cancelled,
      task,
    }
    return withProgress(ports, notices, () => callTool(ports, settings, call))
  }
  return callWithInput(ports, {
    revision,
    asker: askerOf(posted, cancelled),
    cancelled,
    input: inputOf(intent),
    first: (input) => callOnce(posted.acceptedAtMs, input),
    // Each further round has the whole time of the guard.
    again: (input) => callOnce(ports.clock.nowMs(), input),
  })
}

/** A call stops waiting for its client this long before its host ends. */
const LAST_WAIT_MS = 20_000

function askerOf(
  { authorization, channel, deadlineMs, gone }: PostedRequest,
  cancelled: AbortSignal | undefined,
): Asker | undefined {
  if (authorization === undefined || channel === undefined) return undefined
  const untilMs = deadlineMs === undefined ? Number.POSITIVE_INFINITY : deadlineMs - LAST_WAIT_MS
  const ends = [gone, cancelled].filter((one) => one !== undefined)
  return { authorization, channel, untilMs, ends }
}

function inputOf({ capabilities, input }: CallToolIntent): ExecuteInput | undefined {
  if (capabilities === undefined && input === undefined) return undefined
  return {
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(input === undefined ? {} : { responses: input.responses }),
    ...(input?.state === undefined ? {} : { state: input.state }),
  }
}

async function ownerOf(
  ports: ServeCallNeeds,
  authorization: string | undefined,
): Promise<string | undefined> {
  const authentication = await authenticate(ports, authorization)
  return authentication.kind === 'principal' ? authentication.principal.uid : undefined
}

function replyOf(
  settings: Settings,
  work: CallWork,
  posted: PostedRequest,
  outcome: ToolOutcome,
): HttpReply {
  const { id, revision } = work
  const server = serverInfo(settings)
  const isOpen = posted.channel?.isOpen() === true
  if (outcome.kind === 'cancelled') return { kind: 'nothing' }
  if (outcome.kind === 'denied' && !isOpen) {
    return { kind: 'refused', refusal: outcome.refusal, callId: outcome.callId }
  }
  if (outcome.kind === 'error') {
    return { kind: 'reply', status: outcome.status, text: errorReply(id, outcome.error) }
  }
  if (outcome.kind === 'input' && revision.results.inputRequired !== undefined) {
    const result = revision.results.inputRequired(outcome.input, server)
    return { kind: 'reply', status: 200, text: resultReply(id, result) }
  }
  const result = sayable(outcome)
  const text = result.ok
    ? resultReply(id, revision.results.callTool(result.value, server))
    : errorReply(id, result.error)
  return { kind: 'reply', status: 200, text }
}
