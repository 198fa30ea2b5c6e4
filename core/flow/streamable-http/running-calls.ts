/**
 * The calls that run in this process, so that a posted `notifications/cancelled` of a legacy
 * revision can cancel one. Cancellation is best effort: the POST may reach another process, and
 * nothing is cancelled if two clients of one key use the same request id. Bound by ADR 0026.
 */
import { toCallerText } from '../../access/access-token.ts'
import { makeTransientItems, type TransientItems } from '../../cache/transient-items.ts'
import type { IdText } from '../../jsonrpc/message.ts'

/**
 * Running calls by request id. An entry has its caller's header and exists only while the call
 * runs.
 */
export type RunningCalls = TransientItems<RunningCall>

type RunningCall = { readonly caller: string; readonly cancel: AbortController }

export function createRunningCalls(): RunningCalls {
  return makeTransientItems()
}

export type CallOfKey = { readonly authorization: string; readonly id: IdText }

/** Adds a call. Returns the function that removes the entry. */
export function addRunningCall(
  running: RunningCalls,
  { authorization, id }: CallOfKey,
  cancel: AbortController,
): () => void {
  return running.add(id, { caller: toCallerText(authorization), cancel })
}

/**
 * Cancels a call only if the key has exactly one call of that id, since ids repeat across clients
 * and keys.
 */
export function cancelRunningCall(running: RunningCalls, { authorization, id }: CallOfKey): void {
  const caller = toCallerText(authorization)
  const [only, another] = running.of(id).filter((call) => call.caller === caller)
  if (another === undefined) only?.cancel.abort('cancelled')
}
