/**
 * One request of Streamable HTTP in any revision, and its one answer. The request carries
 * everything, since there is no session. Bound by docs/service.md, Streamable HTTP, and ADR 0026.
 */
import { loadOnce } from '../../cache/load-once.ts'
import { ERRORS } from '../../errors.ts'
import { writeResultText } from '../../jsonrpc/write-message.ts'
import type { Work } from '../../mcp/classified.ts'
import type { CallToolIntent, Intent, TaskIntent } from '../../mcp/intent.ts'
import { type AnswerReadNeeds, answerRead } from '../resources/answer-read.ts'
import { authenticateLister } from '../tools/answer-tools-list.ts'
import { dispatchIntent, logFailedRequest } from '../tools/dispatch-intent.ts'
import { toErrorReply } from './error-reply.ts'
import type { HttpReply, PostedRequest } from './http-post.ts'
import type { McpContext } from './mcp-caches.ts'
import { type ServeCallNeeds, serveCall } from './serve-call.ts'
import type { ServeTaskNeeds } from './serve-task.ts'

export type ServeRequestNeeds = AnswerReadNeeds & ServeCallNeeds & ServeTaskNeeds

/** Few calls become tasks, so this code is loaded with the first request about one. */
const loadServeTask = loadOnce(() => import('./serve-task.ts'))

/** Never throws because of a request's content or a failure of the store: both become answers. */
export async function serveRequest(
  context: McpContext<ServeRequestNeeds>,
  work: Work,
  posted: PostedRequest,
): Promise<HttpReply> {
  const { intent } = work
  try {
    // A call reads the key itself; a second read here would slow down every call.
    if (intent.kind === 'call-tool') return await serveCall(context, { ...work, intent }, posted)
    return intent.kind === 'task'
      ? await (await loadServeTask()).serveTask(context, { ...work, intent }, posted)
      : await serveOther(context, { ...work, intent }, posted)
  } catch (cause) {
    return toErrorReply(work, logFailedRequest(context.ports.log, work.method, cause))
  }
}

/** As on the SSE transport. A page that does not fit is made smaller. */
const LIST_BYTES_MAX = 1_048_576

async function serveOther(
  context: McpContext<ServeRequestNeeds>,
  work: Work & { readonly intent: Exclude<Intent, CallToolIntent | TaskIntent> },
  posted: PostedRequest,
): Promise<HttpReply> {
  const { id, intent, revision } = work
  const { wait } = posted
  const caller = await authenticateLister(context.ports, posted.credential, wait)
  if (caller.kind === 'refused') return caller
  if (intent.kind === 'initialize' || intent.kind === 'discover') {
    const uid = caller.kind === 'principal' ? caller.principal.uid : undefined
    context.ports.log.note('info', 'agent-connected', { uid, version: revision.version })
    noteLinks(context, intent, posted)
  }
  const terms = { revision, caller: () => caller, wait }
  const answer =
    intent.kind === 'read'
      ? await answerRead(context, intent, terms)
      : await dispatchIntent(context, intent, {
          ...terms,
          pushesListChanges: false,
          listBytesMax: LIST_BYTES_MAX,
        })
  if (answer.ok) return { kind: 'reply', status: 200, text: writeResultText(id, answer.value) }
  const { code, message } = answer.error
  const isDenied = code === ERRORS.user_disabled.rpcCode
  return isDenied ? toDenied(message) : toErrorReply(work, answer.error)
}

function noteLinks(
  { caches }: McpContext<ServeRequestNeeds>,
  intent: Exclude<Intent, CallToolIntent | TaskIntent>,
  posted: PostedRequest,
): void {
  if (intent.kind === 'initialize') caches.linkClients.note(posted, intent.showsLinks === true)
}

/**
 * Answers a disabled user by the status, like an unknown key, since no request of the user is
 * served.
 */
function toDenied(detail: string): HttpReply {
  return { kind: 'refused', refusal: { code: 'user_disabled', detail } }
}
