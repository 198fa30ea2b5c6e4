/**
 * The calls that run in this process, so that a posted `notifications/cancelled` of a legacy
 * revision can cancel one. Cancellation is best effort: the POST may reach another process, and
 * nothing is cancelled if two clients of one key use the same request id. Bound by ADR 0026.
 */
import { makeTransientItems, type TransientItems } from '../../cache/transient-items.ts'
import type { IdText } from '../../jsonrpc/message.ts'

/**
 * Running calls by request id. An entry has the id of its caller's credential and exists only while
 * the call runs.
 */
export type RunningCalls = TransientItems<RunningCall>

type RunningCall = { readonly credentialId: string; readonly cancel: AbortController }

export function createRunningCalls(): RunningCalls {
  return makeTransientItems()
}

export type CallOfKey = { readonly credentialId: string; readonly id: IdText }

/** Adds a call. Returns the function that removes the entry. */
export function addRunningCall(
  running: RunningCalls,
  { credentialId, id }: CallOfKey,
  cancel: AbortController,
): () => void {
  return running.add(id, { credentialId, cancel })
}

/**
 * Cancels a call only if the key has exactly one call of that id, since ids repeat across clients
 * and keys.
 */
export function cancelRunningCall(running: RunningCalls, { credentialId, id }: CallOfKey): void {
  const [only, another] = running.of(id).filter((call) => call.credentialId === credentialId)
  if (another === undefined) only?.cancel.abort('cancelled')
}
