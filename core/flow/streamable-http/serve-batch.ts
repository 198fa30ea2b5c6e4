/**
 * Several messages in one POST, which only 2025-03-26 allows: each request is served as if it came
 * alone, and the answers are sent together. A bad credential refuses the whole POST, which has one
 * status. Bound by MCP 2025-03-26, basic, JSON-RPC Batching.
 */
import { ERRORS, type Refusal } from '../../errors.ts'
import { RPC_INTERNAL_ERROR, type RpcError } from '../../jsonrpc/message.ts'
import { writeErrorReply } from '../../jsonrpc/write-message.ts'
import type { Classification, Single } from '../../mcp/classified.ts'
import { CALL_SCOPE_MISSING, findCredentialId } from '../access/authenticate.ts'
import { authenticateLister } from '../tools/answer-tools-list.ts'
import { withCallId } from '../tools/tool-outcome.ts'
import { type AskNeeds, takeClientAnswer } from './ask-client.ts'
import type { PostedRequest } from './http-post.ts'
import type { McpContext } from './mcp-caches.ts'
import { needsCallScope } from './missing-scope.ts'
import { cancelRunningCall } from './running-calls.ts'
import { type ServeRequestNeeds, serveRequest } from './serve-request.ts'

export type Batch = Extract<Classification, { kind: 'batch' }>

export type BatchReply =
  /** JSON-RPC answers in the order of the requests; empty if the batch has no requests. */
  | { readonly kind: 'replies'; readonly texts: readonly string[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/**
 * UTF-16 units of answers that are kept until the end. Past this, no further request is started.
 */
export const BATCH_ANSWER_UNITS_MAX = 4_194_304

/**
 * Serves one request after the other. Beside the kept answers, a function has memory for one answer
 * of 4 MB, the most of a skill. A function out of memory would lose calls that were paid for (
 * docs/design/functions.md#memory).
 */
export async function serveBatch(
  context: McpContext<ServeRequestNeeds>,
  batch: Batch,
  posted: PostedRequest,
): Promise<BatchReply> {
  const caller = await authenticateLister(context.ports, posted.credential, posted.wait)
  if (caller.kind === 'refused') return caller
  if (caller.kind === 'principal' && caller.principal.isReadOnly === true) {
    // The client repeats the whole POST after its login, so nothing of it is served now.
    const needsMore = batch.items.some((item) => needsCallScope(context.settings, item))
    if (needsMore) return { kind: 'refused', refusal: CALL_SCOPE_MISSING }
  }
  // A later item may run longer than the sweep leaves a hold.
  posted.scope.release()
  const texts: string[] = []
  let keptUnits = 0
  for (const item of batch.items) {
    const isFull = keptUnits >= BATCH_ANSWER_UNITS_MAX && item.kind === 'request'
    const text = isFull
      ? writeErrorReply(item.id, NOT_BEGUN)
      : await serveItem(context, item, posted)
    if (text === undefined) continue
    keptUnits += text.length
    texts.push(text)
  }
  return { kind: 'replies', texts }
}

const NOT_BEGUN: RpcError = {
  code: RPC_INTERNAL_ERROR,
  message: `The answers of this batch have over ${BATCH_ANSWER_UNITS_MAX} characters already. This request was not begun and costs nothing; send it by itself.`,
}

/** Returns undefined for a message that has no answer. */
async function serveItem(
  context: McpContext<ServeRequestNeeds>,
  item: Single,
  posted: PostedRequest,
): Promise<string | undefined> {
  switch (item.kind) {
    case 'refused':
      return writeErrorReply(item.id, item.error)
    case 'notification':
    case 'response':
      await acceptUnanswered(
        context,
        item,
        await findCredentialId(context.ports, posted.credential),
      )
      return undefined
    case 'request': {
      posted.wait.renew()
      const served = await serveRequest(context, item, posted)
      if (served.kind === 'refused') {
        const { callId, refusal } = served
        const error = { code: ERRORS[refusal.code].rpcCode, message: refusal.detail }
        return writeErrorReply(item.id, callId === undefined ? error : withCallId(callId, error))
      }
      return served.kind === 'reply' ? served.text : undefined
    }
    default:
      return item satisfies never
  }
}

/**
 * Takes a posted message that is no request: a cancellation, or the client's answer to a request of
 * the gateway. The sender must be told of `too_large` only.
 */

export async function acceptUnanswered(
  { ports, caches }: McpContext<AskNeeds>,
  item: Extract<Single, { kind: 'notification' | 'response' }>,
  credentialId: string | undefined,
): Promise<'accepted' | 'too_large'> {
  if (credentialId === undefined) return 'accepted'
  if (item.kind === 'response') {
    const acceptance = await takeClientAnswer(ports, credentialId, item)
    return acceptance === 'too_large' ? acceptance : 'accepted'
  }
  const { notice, revision } = item
  if (notice.kind === 'cancel' && revision.era === 'legacy') {
    cancelRunningCall(caches.running, { credentialId, id: notice.requestId })
  }
  return 'accepted'
}
