/**
 * Answers every MCP method except tools/call, for both transports, in the shape of the caller's
 * revision. The reply to tools/call depends on the transport, which uses call-tool.ts itself; what
 * agents read beside tools is in core/flow/resources/. Bound by ADR 0025.
 */
import { Fault, ok, type Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { RPC_INTERNAL_ERROR, type RpcError } from '../../jsonrpc/message.ts'
import type { CallToolIntent, Intent, ReadIntent } from '../../mcp/intent.ts'
import type { Announced, Revision } from '../../mcp/revision.ts'
import { SERVED_VERSIONS } from '../../mcp/revisions.ts'
import { makeServerInfo } from '../../mcp/server-info.ts'
import type { Log } from '../../ports/outside.ts'
import { AUTH_EXTENSIONS } from '../../settings/auth-extensions.ts'
import type { Settings } from '../../settings.ts'
import type { StoreWait } from '../access/store-wait.ts'
import { type AnswerListNeeds, answerToolsList, type Caller } from './answer-tools-list.ts'
import type { ToolListCache } from './tool-list-cache.ts'

/** Made once for each door and not for each request. */
export type DispatchContext<Needs = AnswerListNeeds> = {
  readonly ports: Needs
  readonly settings: Settings
  readonly caches: { readonly lists: ToolListCache }
}

export type DispatchTerms = {
  readonly revision: Revision
  /** True if this transport can push notifications/tools/list_changed. */
  readonly pushesListChanges: boolean
  /** Bytes of a tools/list result. A page that does not fit is made smaller. */
  readonly listBytesMax: number
  /** Authenticates the caller. Called only for a tool list. */
  caller(): Caller | Promise<Caller>
  /** The time limit of the reads of `caller` and of the list. */
  readonly wait: StoreWait
}

/** Returns the result as JSON text. Throws `Fault` for trouble behind the request. */
export async function dispatchIntent(
  context: DispatchContext,
  intent: Exclude<Intent, CallToolIntent | ReadIntent>,
  terms: DispatchTerms,
): Promise<Result<string, RpcError>> {
  const { ports, settings, caches } = context
  const { results, version } = terms.revision
  const server = makeServerInfo(settings)
  switch (intent.kind) {
    case 'initialize':
      return writeResult(results.initialize(server, terms.pushesListChanges))
    case 'ping':
      return writeResult(results.empty(server))
    case 'discover':
      return writeResult(results.discover(server, SERVED_VERSIONS, toAnnounced(settings)))
    case 'list-tools':
      return answerToolsList(ports, settings, caches.lists, {
        who: await terms.caller(),
        wait: terms.wait,
        cursor: intent.cursor,
        resultOf: (page) => results.listTools(page, server),
        resultBytesMax: terms.listBytesMax,
        shape: version,
      })
    case 'listen':
      throw new Fault(
        'internal',
        'listen has no single answer: the door of /mcp runs run-listen.ts',
      )
    case 'task':
      throw new Fault('internal', 'a task is served with its caller: serve-task.ts does it')
    default:
      return intent satisfies never
  }
}

function toAnnounced({ announceToolChanges, authExtensions }: Settings): Announced {
  return {
    listChanged: announceToolChanges,
    extensions: authExtensions.flatMap((name) => AUTH_EXTENSIONS.get(name) ?? []),
  }
}

function writeResult(result: JsonObject): Result<string, RpcError> {
  return ok(JSON.stringify(result))
}

/** Logs the trouble behind a request, and returns an error for the client that names no cause. */
export function logFailedRequest(
  log: Pick<Log, 'note'>,
  method: string,
  cause: unknown,
  callId?: string,
): RpcError {
  const code = cause instanceof Fault ? cause.code : 'internal'
  const base = { code, method: method.slice(0, METHOD_UNITS_MAX) }
  const fields = callId === undefined ? base : { ...base, callId }
  log.note('error', 'message-failed', fields, cause)
  return {
    code: RPC_INTERNAL_ERROR,
    message: 'The gateway failed at this request. Send it again.',
  }
}

/** UTF-16 units of a method in the log: the name comes from the client. */
const METHOD_UNITS_MAX = 64
