/**
 * Serves tools/call over Streamable HTTP. It makes a call id, because request ids repeat across the
 * clients of a key. It lets the client cancel the call and writes the outcome in the format of the
 * client's MCP revision. Refuses headers for the upstream that cannot be forwarded. Bound by MCP
 * 2026-07-28, server/tools, and ADR 0026.
 */
import { type Credential, toLaterCredential } from '../../access/credential.ts'
import { makeCallId } from '../../call/call-id.ts'
import type { ExecuteInput } from '../../call/execute.ts'
import { CALL_TIMEOUT_MS } from '../../call/limits.ts'
import { checkParamHeaders } from '../../call/mirrored-params.ts'
import { SERVER_STOPS } from '../../call/no-answer.ts'
import { Fault } from '../../errors.ts'
import { writeErrorReply, writeResultReply } from '../../jsonrpc/write-message.ts'
import type { Work } from '../../mcp/classified.ts'
import type { ToolResult } from '../../mcp/content.ts'
import type { CallToolIntent } from '../../mcp/intent.ts'
import type { TaskView } from '../../mcp/revision.ts'
import { toHeaderMismatchError } from '../../mcp/rpc-errors.ts'
import { makeServerInfo } from '../../mcp/server-info.ts'
import { TASK_POLL_MS } from '../../mcp/task.ts'
import { makeTextResult } from '../../mcp/text-result.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { authenticate, findCredentialId } from '../access/authenticate.ts'
import { toAskedTool } from '../tools/call-by-name.ts'
import { type CallToolNeeds, callTool } from '../tools/call-tool.ts'
import { logFailedRequest } from '../tools/dispatch-intent.ts'
import { type ToolOutcome, toModelResult } from '../tools/tool-outcome.ts'
import { type AskNeeds, askWhileRunning, toAsker } from './ask-client.ts'
import { findCallLimitMs } from './call-limit.ts'
import { passOnProgress, startCallProgress, withProgress } from './call-progress.ts'
import type { HttpReply, PostedRequest } from './http-post.ts'
import { callWithInput } from './input-rounds.ts'
import { findLinkError } from './link-clients.ts'
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
  const isModern = work.revision.era === 'modern'
  // A modern client never refers to a running call in another POST.
  const credentialId = isModern
    ? undefined
    : await findCredentialId(context.ports, posted.credential)
  const { cancelled, forget } = openCancel(context.caches.running, work, posted, credentialId)
  const task = startTask(context, work, posted, cancelled)
  try {
    const outcome = runRounds(context, work, posted, { cancelled, credentialId, task })
    const answered = outcome.then((ended) =>
      task?.isTold() === true
        ? taskReply(context, work, task)
        : toReply(context, work, posted, ended),
    )
    if (task === undefined) return await answered
    return await Promise.race([answered, taskReply(context, work, task)])
  } finally {
    forget?.()
  }
}

/**
 * Undefined if this client takes no task for its answer. A client of an earlier revision cannot say
 * so. It takes one, in words, for a skill that has no other way.
 */
function startTask(
  { ports, settings }: CallContext,
  { intent, revision }: CallWork,
  { acceptedAtMs, gone, scope }: PostedRequest,
  cancelled: AbortSignal | undefined,
): TaskCall | undefined {
  const ifRequired = revision.era === 'legacy'
  if (!ifRequired && intent.takesTask !== true) return undefined
  const { name } = intent
  const called = { name, acceptedAtMs, scope, revision, cancelled, gone, ifRequired }
  return startTaskCall(ports, settings, called)
}

/** Never settles for a call that does not become a task. */
async function taskReply(
  { ports, settings }: CallContext,
  { id, method, revision: { results } }: CallWork,
  { created }: TaskCall,
): Promise<HttpReply> {
  const view = await created
  if (view === undefined) {
    const error = logFailedRequest(
      ports.log,
      method,
      new Fault('store_unavailable', 'task: not stored'),
    )
    return { kind: 'reply', status: 200, text: writeErrorReply(id, error) }
  }
  const server = makeServerInfo(settings)
  const result =
    results.task?.(view, 'call', server) ??
    results.callTool(writeTaskInWords(view, settings.prefix), server)
  return { kind: 'reply', status: 200, text: writeResultReply(id, result) }
}

/** The answer to a client whose revision has no tasks. */
function writeTaskInWords({ taskId }: TaskView, prefix: string): ToolResult {
  const text = `This takes minutes and goes on as the task ${taskId}. Call ${prefix}_task with {"task_id": "${taskId}"} after ${TASK_POLL_MS / 1_000} s or later, until it shows the result. ${prefix}_cancel_task stops it, and it then costs nothing.`
  return makeTextResult(text, false)
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
  { credential, gone }: PostedRequest,
  credentialId: string | undefined,
): Cancel {
  const isModern = revision.era === 'modern'
  if (isModern && intent.idempotencyKey === undefined) return { cancelled: gone }
  if (credential.kind !== 'key') return { cancelled: undefined }
  const cancel = new AbortController()
  const onGone = () => {
    if (gone?.reason === SERVER_STOPS) cancel.abort(SERVER_STOPS)
  }
  if (gone?.aborted === true) onGone()
  gone?.addEventListener('abort', onGone)
  const remove =
    credentialId === undefined ? () => {} : addRunningCall(running, { credentialId, id }, cancel)
  const forget = () => {
    remove()
    gone?.removeEventListener('abort', onGone)
  }
  return { cancelled: cancel.signal, forget }
}

type Running = Pick<Cancel, 'cancelled'> & {
  /** The id of the caller's credential; undefined for a modern or an anonymous client. */
  readonly credentialId: string | undefined
  readonly task: TaskCall | undefined
}

function runRounds(
  { ports, settings, caches }: CallContext,
  work: CallWork,
  posted: PostedRequest,
  { cancelled, credentialId, task }: Running,
): Promise<ToolOutcome> {
  const { intent, paramHeaders, revision } = work
  const { callerToken, channel, credential, scope } = posted
  const { name } = toAskedTool(settings.prefix, intent.name, intent.arguments)
  const named = { name, credential, lists: caches.lists }
  const later = toLaterCredential(ports.digests, credential)
  const notices = startCallProgress(revision, intent, {
    channel,
    limitMs: () => findCallLimitMs(ports, settings, named),
  })
  const asker = toAsker(posted, credentialId, cancelled)
  const callOnce = (
    credential: Credential,
    startedAtMs: number,
    input: ExecuteInput | undefined,
  ) => {
    const call = {
      name: intent.name,
      arguments: intent.arguments,
      changedNumbers: intent.changedNumbers,
      callerToken,
      credential,
      ownerOf: () => findOwner(ports, later),
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
      listener: {
        onProgress: passOnProgress(ports, notices),
        asker: askWhileRunning(ports, revision, asker, startedAtMs),
      },
    }
    return withProgress(ports, notices, () => callTool(ports, settings, call))
  }
  return callWithInput(ports, {
    revision,
    asker,
    cancelled,
    input: toInput(intent),
    first: (input) => callOnce(credential, posted.acceptedAtMs, input),
    // Each further round may take the full time of a call. The token may have expired meanwhile.
    again: (input) => callOnce(later, ports.clock.nowMs(), input),
  })
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
  credential: Credential,
): Promise<string | undefined> {
  const authentication = await authenticate(ports, credential)
  return authentication.kind === 'principal' ? authentication.principal.uid : undefined
}

/** No client sees the challenge of a missing scope if the host renames its header. */
function isToldInWords(
  { renamesChallenge }: Settings,
  { refusal }: Extract<ToolOutcome, { kind: 'denied' }>,
): boolean {
  return renamesChallenge && refusal.code === 'insufficient_scope'
}

function toReply(
  { caches, settings }: CallContext,
  work: CallWork,
  posted: PostedRequest,
  outcome: ToolOutcome,
): HttpReply {
  const { id, revision } = work
  const server = makeServerInfo(settings)
  const isOpen = posted.channel?.isOpen() === true
  if (outcome.kind === 'cancelled') return { kind: 'nothing' }
  if (outcome.kind === 'denied' && !isOpen && !isToldInWords(settings, outcome)) {
    return { kind: 'refused', refusal: outcome.refusal, callId: outcome.callId }
  }
  const linkError = findLinkError(caches.linkClients, revision, posted, outcome)
  if (linkError !== undefined) {
    return { kind: 'reply', status: 200, text: writeErrorReply(id, linkError) }
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
