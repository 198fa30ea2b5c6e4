/**
 * The calls that run in this process, so that a posted `notifications/cancelled` of a legacy
 * revision can end one. Best effort: the POST may reach another process, and when two clients of
 * one key use the same request id nothing is cancelled. Bound by ADR 0026.
 */
import { type TransientItems, transientItems } from '../../cache/transient-items.ts'
import type { IdText } from '../../jsonrpc/message.ts'

/** By request id. An entry holds its caller's header, and only while its call runs. */
export type RunningCalls = TransientItems<RunningCall>

type RunningCall = { readonly authorization: string; readonly cancel: AbortController }

export function runningCalls(): RunningCalls {
  return transientItems()
}

export type CallOfKey = { readonly authorization: string; readonly id: IdText }

/** Returns the function that removes the entry. */
export function noteRunning(
  running: RunningCalls,
  { authorization, id }: CallOfKey,
  cancel: AbortController,
): () => void {
  return running.add(id, { authorization, cancel })
}

/**
 * Cancels only where the key has exactly one call of that id: ids repeat across clients and keys.
 */
export function cancelRunning(running: RunningCalls, { authorization, id }: CallOfKey): void {
  const [only, another] = running.of(id).filter((call) => call.authorization === authorization)
  if (another === undefined) only?.cancel.abort('cancelled')
}
